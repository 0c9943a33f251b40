"""Shape rules of many ops, checks of axes, and arithmetic on dimensions that may be symbolic."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lite.ir.types import UNKNOWN, Dim, DType, Shape
from lite.ops.schema import ShapeRule
from lite.ops.view import Meta, OpView


def same_as(slot: str, dtype: DType | None = None) -> ShapeRule:
    """The rule of an op whose first output has the shape of an input, and its dtype unless `dtype` is set."""

    def rule(op: OpView) -> Meta:
        return Meta(dtype or op[slot].dtype, op[slot].shape)

    return rule


def apply(dim: Dim, function: Callable[[int], int]) -> Dim:
    """`function` of a size, or `UNKNOWN` of a symbolic one."""
    return function(dim) if isinstance(dim, int) else UNKNOWN


def total(dims: Sequence[Dim]) -> Dim:
    """The product of the dimensions, `UNKNOWN` where one is symbolic."""
    result = 1
    for dim in dims:
        if isinstance(dim, str):
            return dim if len(dims) == 1 else UNKNOWN
        result *= dim
    return result


def common_shape(shapes: Sequence[Shape | None]) -> Shape | None:
    """The shape with the dimensions that all shapes share; None where their ranks may differ."""
    first = shapes[0]
    if first is None or any(shape is None or len(shape) != len(first) for shape in shapes):
        return None
    return tuple(
        dim if all(shape is not None and shape[axis] == dim for shape in shapes) else UNKNOWN
        for axis, dim in enumerate(first)
    )


def check_axes(op: OpView, name: str, axes: Sequence[int], x: Meta) -> None:
    """Check that `axes` are axes of `x`; raises `GraphError` naming the attribute or slot `name`."""
    outside = [axis for axis in axes if not -x.rank <= axis < x.rank]
    if outside:
        raise op.error(f"attribute {name}", f"axes of {x}", outside)


def checked_axis(op: OpView, x: Meta, axis: int, where: str) -> int:
    """`axis` of `x` counted from the front; raises `GraphError` naming `where` if `x` has no such axis.

    A tensor of rank 0 accepts the axes -1 and 0.
    """
    rank = max(x.rank, 1)
    if not -rank <= axis < rank:
        raise op.error(where, f"an axis of {x}", axis)
    return axis % rank
