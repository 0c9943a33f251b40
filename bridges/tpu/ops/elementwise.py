"""elementwise_* and sum → Add, Sub, Mul, Div, Max, Min."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.row import Row
from lite.ops.broadcast import aligned
from lite.ops.view import product
from lite.plugin.device import BridgeOp, bridge

Function = Callable[[Builder, Tensor, Tensor], Tensor]

_TABLE: dict[str, Function] = {
    "elementwise_div": lambda b, x, y: b.lang.div(x, y),
    "elementwise_max": lambda b, x, y: b.lang.max(x, y),
    "elementwise_min": lambda b, x, y: b.lang.min(x, y),
    "elementwise_mul": lambda b, x, y: b.lang.mul(x, y),
    "elementwise_sub": lambda b, x, y: b.lang.sub(x, y),
}


def with_row(b: Builder, x: Tensor, row: Tensor) -> Tensor:
    """`x` plus a computed row, which is added to each of its rows.

    TPU-MLIR makes a row that is added to a product the bias of it, and loses a Relu after the sum.  It does
    not do so with a difference.
    """
    return b.lang.sub(x, b.lang.mul(row, -1.0))


def _added(b: Builder, op: BridgeOp, x: Tensor, y: Tensor, shapes: Sequence[Sequence[int]]) -> Tensor:
    """The sum of tensors of these shapes."""
    if op.constant("X") is None and op.constant("Y") is None:
        if _is_row(shapes[1]):
            return with_row(b, x, y)
        if _is_row(shapes[0]):
            return with_row(b, y, x)
    return b.lang.add(x, y)


def _is_row(shape: Sequence[int]) -> bool:
    return bool(shape) and product(shape) == shape[-1]


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
        result = _TABLE[name](b, x, y) if name in _TABLE else _added(b, op, x, y, shapes)
        if name != "elementwise_mul":
            return result
        scale, bias = op.real("scale"), op.real("bias")
        result = result if scale == 1 else b.lang.mul(result, scale)
        return b.lang.add(result, bias) if bias else result

    return Row("X Y", make, _why_not)


def _sum(b: Builder, op: BridgeOp, tensors: list[Tensor]) -> Tensor:
    add = functools.partial(with_row, b) if _is_row(op.output().sizes) else b.lang.add
    return functools.reduce(add, tensors)


for _name in ("elementwise_add", *_TABLE):
    bridge("tpu", _name)(_row(_name))
bridge("tpu", "sum")(Row("X*", _sum))
