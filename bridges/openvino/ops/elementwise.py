"""Arithmetic of two tensors with Paddle's `axis`, alone and with a fused activation; sums of several."""

from __future__ import annotations

import functools
from collections.abc import Callable

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.ops.activation import activated, unknown_activation
from lite.bridges.openvino.row import Row
from lite.bridges.openvino.support import FLOAT, NARROW, NUMBER, DTypes
from lite.ops.defs.elementwise import aligned
from lite.plugin.device import BridgeOp, bridge

Function = Callable[[Builder, Tensor, Tensor], Tensor]


def at_axis(b: Builder, op: BridgeOp, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """`x` and `y` with ones such that they broadcast from the right as Paddle's `axis` says."""
    first, second, axis = op["X"].rank, op["Y"].rank, op.integer("axis")
    if axis == -1 or first == second:
        return x, y
    if first < second:
        return _placed(b, x, first, second, axis), y
    return x, _placed(b, y, second, first, axis)


def _placed(b: Builder, tensor: Tensor, rank: int, among: int, axis: int) -> Tensor:
    """The tensor with its first axis at `axis` of `among` axes; ones that reach beyond those go."""
    behind = among - axis - rank
    if behind < 0:
        return b.op.squeeze(tensor, b.ints(range(rank + behind, rank)))
    return b.op.unsqueeze(tensor, b.ints(range(rank, rank + behind))) if behind and rank else tensor


def _alike(op: BridgeOp) -> str | None:
    """Why the two shapes do not fit at the axis, or why the activation is not known."""
    aligned(op["X"].dims, op["Y"].dims, op.integer("axis"))
    return unknown_activation(op.text("act_type")) if op.op.startswith("fusion_") else None


def _divide(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return b.op.divide(x, y)


def _floor_divide(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return b.op.floor(b.op.divide(x, y))


_ARITHMETIC: dict[str, tuple[Function, DTypes]] = {
    "elementwise_add": (lambda b, x, y: b.op.add(x, y), NUMBER),
    "elementwise_div": (_divide, FLOAT),
    "elementwise_floordiv": (_floor_divide, FLOAT),
    "elementwise_max": (lambda b, x, y: b.op.maximum(x, y), NUMBER),
    "elementwise_min": (lambda b, x, y: b.op.minimum(x, y), NUMBER),
    "elementwise_mod": (lambda b, x, y: b.op.floor_mod(x, y), FLOAT),
    "elementwise_mul": (lambda b, x, y: b.op.multiply(x, y), NARROW),
    "elementwise_pow": (lambda b, x, y: b.op.power(x, y), FLOAT),
    "elementwise_sub": (lambda b, x, y: b.op.subtract(x, y), NUMBER),
    "fmod": (lambda b, x, y: b.op.mod(x, y), FLOAT),
}
"""The ops by name; those that start with "fusion_" and end in "_activation" follow from them."""

_FUSED = {
    "fusion_elementwise_add_activation": "elementwise_add",
    "fusion_elementwise_div_activation": "elementwise_div",
    "fusion_elementwise_floordiv_activation": "elementwise_floordiv",
    "fusion_elementwise_max_activation": "elementwise_max",
    "fusion_elementwise_min_activation": "elementwise_min",
    "fusion_elementwise_mod_activation": "elementwise_mod",
    "fusion_elementwise_mul_activation": "elementwise_mul",
    "fusion_elementwise_pow_activation": "elementwise_pow",
    "fusion_elementwise_sub_activation": "elementwise_sub",
}


def _row(name: str, *, fused: bool) -> Row:
    function, dtypes = _ARITHMETIC[name]

    def make(b: Builder, op: BridgeOp, x: Tensor, y: Tensor) -> Tensor:
        result = function(b, *at_axis(b, op, x, y))
        if name == "elementwise_mul":
            result = _affine(b, result, op.real("scale"), op.real("bias"))
        if not fused:
            return result
        return activated(b, op.text("act_type"), result, op.reals("activation_params"))

    return Row("X Y", make, FLOAT if fused else dtypes, alike=True, why=_alike)


def _affine(b: Builder, x: Tensor, scale: float, bias: float) -> Tensor:
    if scale != 1:
        x = b.op.multiply(x, b.like(scale, x))
    return b.op.add(x, b.like(bias, x)) if bias else x


def _sum(b: Builder, _: BridgeOp, tensors: list[Tensor]) -> Tensor:
    return functools.reduce(b.op.add, tensors)


for _name in _ARITHMETIC:
    bridge("openvino", _name)(_row(_name, fused=False))
for _name, _plain in _FUSED.items():
    bridge("openvino", _name)(_row(_plain, fused=True))
bridge("openvino", "sum")(Row("X*", _sum, NUMBER, alike=True))
