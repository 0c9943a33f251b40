"""Activations that are fused into another op, as the attributes `activation` and `activation_params`.

Programs of Paddle and of Paddle-Lite's optimiser have several older spellings.
"""

from __future__ import annotations

from collections.abc import Mapping

from lite.errors import GraphError
from lite.ir.program import AttrValue
from lite.ops.schema import SCHEMAS, get_schema

_FUSE_ACTIVATION = ("relu", "sigmoid", "tanh", "hard_swish")
"""The values of Paddle's `fuse_activation`, which have no parameters."""

_PARAMETERS: Mapping[str, Mapping[str, str]] = {
    "hard_sigmoid": {"slope": "slope", "offset": "offset"},
    "hard_swish": {
        "hard_swish_threshold": "threshold",
        "hard_swish_scale": "scale",
        "hard_swish_offset": "offset",
    },
    "leaky_relu": {"leaky_relu_alpha": "alpha"},
    "relu": {},
    "relu6": {"fuse_brelu_threshold": "threshold"},
    "sigmoid": {},
    "swish": {"swish_scale": "beta"},
    "tanh": {},
}
"""The values of Paddle-Lite's `act_type`, and its names for their attributes."""


def conv_activation(op: str, attrs: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    """The attributes of a convolution, with its activation in `activation` and `activation_params`.

    `attrs` are the program's: `activation`, Paddle's `fuse_activation`, `fuse_relu` and `fuse_brelu`, or
    Paddle-Lite's `with_act`.  Raises `GraphError` for an unknown activation.
    """
    if attrs.get("activation"):
        return current_activation(attrs)
    if attrs.get("with_act"):
        name = str(attrs.get("act_type"))
        if name not in _PARAMETERS:
            raise GraphError(f"{op}: attribute act_type: expected one of {list(_PARAMETERS)}, got {name!r}")
        renamed = {new: attrs[old] for old, new in _PARAMETERS[name].items() if old in attrs}
        return _fused(attrs, name, renamed)
    name = str(attrs.get("fuse_activation") or "")
    if name:
        if name not in _FUSE_ACTIVATION:
            expected = list(_FUSE_ACTIVATION)
            raise GraphError(f"{op}: attribute fuse_activation: expected one of {expected}, got {name!r}")
        return _fused(attrs, name, {})
    if attrs.get("fuse_relu"):
        return _fused(attrs, "relu", {})
    if attrs.get("fuse_brelu"):
        return _fused(attrs, "relu6", {"threshold": attrs.get("fuse_brelu_threshold", 6.0)})
    return dict(attrs)


def renamed_activation(_: str, attrs: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    """The attributes of an op whose `activation` is `activation_type` or `act_type` in older programs."""
    name = attrs.get("activation") or attrs.get("activation_type") or attrs.get("act_type") or ""
    return current_activation({**attrs, "activation": name})


def current_activation(attrs: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    """`attrs`, where an activation with an old spelling, such as silu, becomes the op that replaces it."""
    schema = SCHEMAS.get(str(attrs.get("activation")))
    if schema is None or schema.canonical is None or schema.canonical.attrs is None:
        return dict(attrs)
    params = attrs.get("activation_params")
    values = schema.from_numbers(
        [n for n in params if isinstance(n, int | float)] if isinstance(params, list) else []
    )
    return _fused(attrs, schema.canonical.op, schema.canonical.attrs(values))


def _fused(
    attrs: Mapping[str, AttrValue], name: str, values: Mapping[str, AttrValue]
) -> dict[str, AttrValue]:
    numbers: AttrValue = [*get_schema(name).numbers(values)] if values else []
    return {**attrs, "activation": name, "activation_params": numbers}
