"""Activations: elementwise functions that networks apply after a linear op."""

from lite.ops.rules import same_as
from lite.ops.schema import Attr, choice, op

_TABLE: dict[str, dict[str, float | bool | Attr]] = {
    "celu": {"alpha": 1.0},
    "elu": {"alpha": 1.0},
    "gelu": {"approximate": False},
    "hard_sigmoid": {"slope": 0.2, "offset": 0.5},
    "hard_swish": {"threshold": 6.0, "scale": 6.0, "offset": 3.0},
    "leaky_relu": {"alpha": 0.02},
    "logsigmoid": {},
    "mish": {"threshold": 20.0},
    "relu6": {"threshold": 6.0},
    "relu_clipped": {"Relu_clipped_coef": 6.0},
    "selu": {"scale": 1.0507009873554805, "alpha": 1.6732632423543772},
    "sigmoid": {},
    "silu": {},
    "softplus": {"beta": 1.0, "threshold": 20.0},
    "softsign": {},
    "swish": {"beta": 1.0},
    "tanh": {},
    "thresholded_relu": {"threshold": 1.0},
}

for _name, _attrs in _TABLE.items():
    op(_name, "X:float", "Out", same_as("X"), attrs=_attrs, lod="X", inplace={"Out": "X"})

op("relu", "X:number", "Out", same_as("X"), lod="X", inplace={"Out": "X"})

op(
    "prelu",
    "X:float Alpha:float",
    "Out",
    same_as("X"),
    attrs={"mode": choice("all", "channel", "element"), "data_format": choice("NCHW", "NHWC")},
    lod="X",
    inplace={"Out": "X"},
)
