"""Broadcasting of shapes: by numpy's rule, and by Paddle's attribute `axis`."""

from __future__ import annotations

from typing import TypeVar

from lite.errors import GraphError
from lite.ir.types import UNKNOWN, Dim, Shape
from lite.ops.view import OpView

D = TypeVar("D", int, Dim)


def broadcast(op: OpView, first: Shape, second: Shape) -> Shape:
    """Two shapes of equal rank broadcast against each other; raises `GraphError` when they do not fit."""
    return tuple(_broadcast_dim(op, a, b, (first, second)) for a, b in zip(first, second, strict=True))


def broadcast_right(op: OpView, first: Shape, second: Shape) -> Shape:
    """Two shapes broadcast by numpy's rule: aligned at the last axis."""
    rank = max(len(first), len(second))
    return broadcast(op, _padded(first, rank), _padded(second, rank))


def broadcast_at_axis(op: OpView) -> Shape | None:
    """The shape of an op of slots X and Y with attribute `axis`; None when a rank is unknown."""
    first, second = op["X"].shape, op["Y"].shape
    if first is None or second is None:
        return None
    try:
        padded = aligned(first, second, op.integer("axis"))
    except GraphError as error:
        raise GraphError(f"{op.op}: {error}") from error
    return broadcast(op, *padded)


def aligned(first: tuple[D, ...], second: tuple[D, ...], axis: int) -> tuple[tuple[D, ...], tuple[D, ...]]:
    """Two shapes padded with ones to equal rank; the shape of lower rank starts at `axis` of the other.

    -1 aligns the last axes.  Trailing sizes of 1 beyond the last axis of the other shape are dropped; an
    unknown size can only be 1 there.  Raises `GraphError` for a larger size beyond the last axis.
    """
    if len(first) < len(second):
        return _placed(first, len(second), axis), second
    if len(second) < len(first):
        return first, _placed(second, len(first), axis)
    return first, second


def _placed(shape: tuple[D, ...], rank: int, axis: int) -> tuple[D, ...]:
    if not shape:
        return (1,) * rank
    start = rank - len(shape) if axis == -1 else axis
    kept = len(shape)
    while start + kept > rank and kept and not _surely_not_one(shape[kept - 1]):
        kept -= 1
    if start < 0 or start + kept > rank:
        raise GraphError(f"shape {list(shape)} does not fit at axis {axis} of {rank} axes")
    ones: tuple[D, ...] = (1,)
    return ones * start + shape[:kept] + ones * (rank - start - kept)


def _surely_not_one(dim: Dim) -> bool:
    return isinstance(dim, int) and dim != 1


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
