"""Integers that an op takes as an attribute, a tensor or a list of tensors; reshapes to computed sizes."""

from __future__ import annotations

from collections.abc import Sequence

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.row import Context
from lite.ir.types import Dim, DType
from lite.ops.schema import SCHEMAS
from lite.ops.shape_input import element, elements
from lite.ops.view import product
from lite.plugin.device import BridgeOp


def known_integers(op: BridgeOp, attr: str, *slots: str) -> list[int] | None:
    """The integers of the first of `slots` that the op has, else of the attribute; None if one is unknown."""
    numbers = elements(op, attr, *slots)
    if numbers is None:
        return None
    known = [number for number in numbers if number is not None]
    return known if len(known) == len(numbers) else None


def integer_tensor(op: BridgeOp, ctx: Context, attr: str, *slots: str) -> Tensor:
    """These integers as a tensor int64[n]: a constant if all are known, else computed by the model."""
    b, known = ctx.builder, known_integers(op, attr, *slots)
    if known is not None:
        return b.ints(known)
    slot = next(slot for slot in slots if op.node.inputs.get(slot))
    parts = [b.reshape(b.cast(tensor, DType.INT64), [-1]) for tensor in ctx.inputs(op, slot)]
    return parts[0] if not SCHEMAS[op.op].inputs[slot].repeated else b.op.concat(parts, 0).output(0)


def why_not_unknown_integer(op: BridgeOp, attr: str, *slots: str) -> str | None:
    """The reason to decline the op if its integer is known only at run time; None if it is known before."""
    if element(op, attr, *slots) is None:
        return f"{attr} is a tensor ({', '.join(slots)}) whose number is not known"
    return None


def why_not_unknown_integers(op: BridgeOp, attr: str, *slots: str) -> str | None:
    """The reason to decline the op if an integer is known only at run time; None if all are known before."""
    if known_integers(op, attr, *slots) is None:
        return f"{attr} is a tensor ({', '.join(slots)}) whose numbers are not known"
    return None


def merged(b: Builder, x: Tensor, dims: Sequence[Dim], groups: Sequence[Sequence[int]]) -> Tensor:
    """`x`, of shape `dims`, with one axis for each group of adjacent axes; an empty group has size 1."""
    sizes = [product([dims[axis] for axis in group]) for group in groups]
    if sizes.count(None) <= 1:
        return b.op.reshape(x, b.ints([-1 if size is None else size for size in sizes]), False)
    shape = b.sizes(x)
    parts = [
        b.op.reduce_prod(b.op.gather(shape, b.ints(list(group)), b.integer(0)), b.integer(0), True)
        if size is None
        else b.ints([size])
        for size, group in zip(sizes, groups, strict=True)
    ]
    return b.op.reshape(x, b.op.concat(parts, 0), False)
