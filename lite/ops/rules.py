"""Shape rules that many ops share, and arithmetic on dimensions that may be symbolic."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lite.ir.types import UNKNOWN, Dim, DType, Shape
from lite.ops.schema import ShapeRule
from lite.ops.view import Meta, OpView


def same_as(slot: str, dtype: DType | None = None) -> ShapeRule:
    """The first output has the shape of an input, and its dtype unless `dtype` is given."""

    def rule(op: OpView) -> Meta:
        return Meta(dtype or op[slot].dtype, op[slot].shape)

    return rule


def apply(dim: Dim, function: Callable[[int], int]) -> Dim:
    """`function` of a size, or `UNKNOWN` of a symbolic one."""
    return function(dim) if isinstance(dim, int) else UNKNOWN


def broadcast(op: OpView, first: Shape, second: Shape) -> Shape:
    """Shapes of equal rank broadcast against each other; raises `GraphError` where they cannot be."""
    return tuple(_broadcast_dim(op, a, b, (first, second)) for a, b in zip(first, second, strict=True))


def broadcast_right(op: OpView, first: Shape, second: Shape) -> Shape:
    """Shapes broadcast by numpy's rule: aligned at the last axis."""
    rank = max(len(first), len(second))
    return broadcast(op, _padded(first, rank), _padded(second, rank))


def total(dims: Sequence[Dim]) -> Dim:
    """The product of the dimensions, `UNKNOWN` where one is symbolic."""
    result = 1
    for dim in dims:
        if isinstance(dim, str):
            return dim if len(dims) == 1 else UNKNOWN
        result *= dim
    return result


def _padded(shape: Shape, rank: int) -> Shape:
    return (1,) * (rank - len(shape)) + shape


def _broadcast_dim(op: OpView, a: Dim, b: Dim, shapes: tuple[Shape, Shape]) -> Dim:
    if a == b:
        return a
    if a == 1:
        return b
    if b == 1:
        return a
    if isinstance(a, int) and isinstance(b, int):
        raise op.error("inputs", "shapes that broadcast", f"{list(shapes[0])} and {list(shapes[1])}")
    return a if isinstance(a, int) else b if isinstance(b, int) else UNKNOWN
