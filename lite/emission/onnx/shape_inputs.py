"""Sizes and other integers that a conversion needs: as numbers where they are known, else as tensors."""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context
from lite.emission.onnx.builder import Tensor
from lite.ir.types import DType
from lite.ops.shape_input import element, elements
from lite.ops.view import Meta
from lite.plugin.device import BridgeOp


def require_dims(meta: Meta, name: str) -> list[int]:
    """The shape of `name`; declines an unknown size."""
    dims = [dim for dim in meta.dims if isinstance(dim, int)]
    if len(dims) < meta.rank:
        raise Declined(f"every size of {name} must be known, got {meta}")
    return dims


def require_dim(meta: Meta, axis: int, name: str) -> int:
    """One size of `name`; declines an unknown size."""
    dim = meta.dims[axis]
    if not isinstance(dim, int):
        raise Declined(f"the size of axis {axis} of {name} must be known, got {meta}")
    return dim


def require_elements(meta: Meta, name: str) -> None:
    """Decline an empty tensor."""
    if meta.shape is not None and 0 in meta.dims:
        raise Declined(f"{name} must have elements, got {meta}")


def known_integers(op: BridgeOp, attr: str, *slots: str) -> list[int] | None:
    """The integers in the first of `slots` that the op has, else in the attribute; None if one is unknown."""
    numbers = elements(op, attr, *slots)
    known = [number for number in numbers or () if number is not None]
    return known if numbers is not None and len(known) == len(numbers) else None


def require_integers(op: BridgeOp, attr: str, *slots: str) -> list[int]:
    """The same; declines unknown integers."""
    numbers = known_integers(op, attr, *slots)
    if numbers is None:
        raise Declined(f"{slots[0]} must be constant")
    return numbers


def require_integer(op: BridgeOp, attr: str, *slots: str) -> int:
    """The integer in the first of `slots` that the op has, else in the attribute; declines an unknown one."""
    number = element(op, attr, *slots)
    if number is None:
        raise Declined(f"{slots[0]} must be constant")
    return number


def integer_tensor(op: BridgeOp, ctx: Context, attr: str, *slots: str) -> Tensor:
    """The integers as a tensor int64[n], which the run computes where they are unknown."""
    numbers = known_integers(op, attr, *slots)
    if numbers is not None:
        return ctx.builder.ints(*numbers)
    slot = next(slot for slot in slots if op.all(slot))
    parts = [flat_int64(ctx, *each) for each in zip(ctx.inputs(op, slot), op.all(slot), strict=True)]
    return parts[0] if len(parts) == 1 else ctx.builder.add("Concat", *parts, axis=0)


def flat_int64(ctx: Context, tensor: Tensor, meta: Meta) -> Tensor:
    """The elements of a tensor as int64[n].

    A vector is not reshaped: ONNX Runtime (1.31) wrongly merges a Reshape of a shape with the Reshape that
    reads it.
    """
    whole = ctx.builder.cast(tensor, DType.INT64)
    if meta.shape is None or meta.rank > 1:
        return ctx.builder.flat(whole)
    return whole if meta.rank else ctx.builder.unsqueeze(whole, 0)


def scalar_int64(ctx: Context, tensor: Tensor) -> Tensor:
    """The only element of a tensor as int64[]."""
    return ctx.builder.rank_0(ctx.builder.cast(tensor, DType.INT64))
