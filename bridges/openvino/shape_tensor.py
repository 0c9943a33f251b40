"""Numbers that an op takes as an attribute, a tensor or small tensors; shapes that are computed."""

from __future__ import annotations

from collections.abc import Sequence

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.row import Context
from lite.ir.types import Dim, DType
from lite.ops.schema import SCHEMAS
from lite.ops.shape_input import element, elements
from lite.ops.view import product
from lite.plugin.device import BridgeOp


def numbers(op: BridgeOp, attr: str, *slots: str) -> list[int] | None:
    """The numbers of the first of `slots` that the op has, else of the attribute; None if not known yet."""
    found = elements(op, attr, *slots)
    if found is None:
        return None
    known = [number for number in found if number is not None]
    return known if len(known) == len(found) else None


def numbers_tensor(op: BridgeOp, ctx: Context, attr: str, *slots: str) -> Tensor:
    """The same as a tensor ``int64[n]``, computed where it must be."""
    b, known = ctx.builder, numbers(op, attr, *slots)
    if known is not None:
        return b.ints(known)
    slot = next(slot for slot in slots if op.node.inputs.get(slot))
    given = ctx.inputs(op, slot)
    parts = [b.reshape(b.cast(tensor, DType.INT64), [-1]) for tensor in given]
    return parts[0] if not SCHEMAS[op.op].inputs[slot].repeated else b.op.concat(parts, 0).output(0)


def unknown_number(op: BridgeOp, attr: str, *slots: str) -> str | None:
    """Why an op whose single number is only known at run time cannot be taken, or None."""
    if element(op, attr, *slots) is None:
        return f"{attr} is a tensor ({', '.join(slots)}) whose number is not known"
    return None


def unknown_numbers(op: BridgeOp, attr: str, *slots: str) -> str | None:
    """Why an op whose numbers are only known at run time cannot be taken, or None."""
    if numbers(op, attr, *slots) is None:
        return f"{attr} is a tensor ({', '.join(slots)}) whose numbers are not known"
    return None


def merged(b: Builder, x: Tensor, dims: Sequence[Dim], groups: Sequence[Sequence[int]]) -> Tensor:
    """`x`, of shape `dims`, with each group of neighbouring axes made one; an empty group is a 1."""
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
