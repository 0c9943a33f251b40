"""Activations and other elementwise functions of one tensor."""

from lite.ops.rules import same_as
from lite.ops.schema import Attr, op

_TABLE: dict[str, dict[str, float | bool | Attr]] = {
    "relu": {},
    "relu6": {"threshold": 6.0},
    "sigmoid": {},
    "tanh": {},
    "hard_sigmoid": {"slope": 0.2, "offset": 0.5},
    "hard_swish": {"threshold": 6.0, "scale": 6.0, "offset": 3.0},
    "swish": {"beta": 1.0},
    "leaky_relu": {"alpha": 0.02},
    "gelu": {"approximate": False},
}

for _name, _attrs in _TABLE.items():
    op(_name, "X:float", "Out", same_as("X"), attrs=_attrs, lod="X", inplace={"Out": "X"})
