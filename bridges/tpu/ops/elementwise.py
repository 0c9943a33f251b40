"""elementwise_* and sum → Add, Sub, Mul, Div, Max, Min."""

from __future__ import annotations

import functools
from collections.abc import Callable

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.row import Row
from lite.ops.broadcast import aligned
from lite.plugin.device import BridgeOp, bridge

Function = Callable[[Builder, Tensor, Tensor], Tensor]

_TABLE: dict[str, Function] = {
    "elementwise_add": lambda b, x, y: b.lang.add(x, y),
    "elementwise_div": lambda b, x, y: b.lang.div(x, y),
    "elementwise_max": lambda b, x, y: b.lang.max(x, y),
    "elementwise_min": lambda b, x, y: b.lang.min(x, y),
    "elementwise_mul": lambda b, x, y: b.lang.mul(x, y),
    "elementwise_sub": lambda b, x, y: b.lang.sub(x, y),
}


def _why_not(op: BridgeOp) -> str | None:
    if all(op.constant(slot) is not None for slot in "XY"):
        return "both inputs are constants"
    return None


def _aligned(b: Builder, op: BridgeOp, slot: str, tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The tensor in the shape in which it broadcasts from the right."""
    constant = op.constant(slot)
    if constant is not None:
        return b.constant(slot, constant.reshape(shape))
    return tensor if shape == op[slot].sizes else b.shaped(tensor, shape)


def _row(name: str) -> Row:
    def make(b: Builder, op: BridgeOp, x: Tensor, y: Tensor) -> Tensor:
        shapes = aligned(op["X"].sizes, op["Y"].sizes, op.integer("axis"))
        x, y = (_aligned(b, op, *each) for each in zip("XY", (x, y), shapes, strict=True))
        result = _TABLE[name](b, x, y)
        if name != "elementwise_mul":
            return result
        scale, bias = op.real("scale"), op.real("bias")
        result = result if scale == 1 else b.lang.mul(result, scale)
        return b.lang.add(result, bias) if bias else result

    return Row("X Y", make, _why_not)


def _sum(b: Builder, _: BridgeOp, tensors: list[Tensor]) -> Tensor:
    return functools.reduce(b.lang.add, tensors)


for _name in _TABLE:
    bridge("tpu", _name)(_row(_name))
bridge("tpu", "sum")(Row("X*", _sum))
