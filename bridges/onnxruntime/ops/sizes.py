"""Sizes and other whole numbers that an op is told: as numbers where they are known, else as tensors."""

from __future__ import annotations

from lite.bridges.onnxruntime.bridging import Context
from lite.bridges.onnxruntime.builder import Tensor
from lite.errors import CompileError
from lite.ir.types import DType
from lite.ops.shape_input import element, elements
from lite.ops.view import Meta
from lite.plugin.device import BridgeOp


def known_dims(meta: Meta, what: str) -> list[int]:
    """The shape; raises `CompileError` with a sentence where a size is not known."""
    dims = [dim for dim in meta.dims if isinstance(dim, int)]
    if len(dims) < meta.rank:
        raise CompileError(f"every size of {what} must be known, got {meta}")
    return dims


def known_dim(meta: Meta, axis: int, what: str) -> int:
    """One size; raises `CompileError` with a sentence where it is not known."""
    dim = meta.dims[axis]
    if not isinstance(dim, int):
        raise CompileError(f"the size of axis {axis} of {what} must be known, got {meta}")
    return dim


def numbers(op: BridgeOp, attr: str, *slots: str) -> list[int] | None:
    """The numbers of the first of the slots that there is, else of the attribute; None where unknown."""
    found = elements(op, attr, *slots)
    known = [number for number in found or () if number is not None]
    return known if found is not None and len(known) == len(found) else None


def known_numbers(op: BridgeOp, attr: str, *slots: str) -> list[int]:
    """The same; raises `CompileError` with a sentence where they are not known."""
    found = numbers(op, attr, *slots)
    if found is None:
        raise CompileError(f"{slots[0]} must be constant")
    return found


def known_number(op: BridgeOp, attr: str, *slots: str) -> int:
    """The single number of the first of the slots that there is, else of the attribute."""
    found = element(op, attr, *slots)
    if found is None:
        raise CompileError(f"{slots[0]} must be constant")
    return found


def vector(op: BridgeOp, ctx: Context, attr: str, *slots: str) -> Tensor:
    """The numbers as an int64 vector, which a run may compute."""
    found = numbers(op, attr, *slots)
    if found is not None:
        return ctx.builder.ints(*found)
    slot = next(slot for slot in slots if op.all(slot))
    parts = [flat_int64(ctx, *each) for each in zip(ctx.inputs(op, slot), op.all(slot), strict=True)]
    return parts[0] if len(parts) == 1 else ctx.builder.add("Concat", *parts, axis=0)


def flat_int64(ctx: Context, tensor: Tensor, meta: Meta) -> Tensor:
    """A tensor's elements as an int64 vector.

    A vector is left as it is: ONNX Runtime (1.31) joins a Reshape of a shape with the one that reads it.
    """
    whole = ctx.builder.cast(tensor, DType.INT64)
    if meta.shape is None or meta.rank > 1:
        return ctx.builder.flat(whole)
    return whole if meta.rank else ctx.builder.unsqueeze(whole, 0)
