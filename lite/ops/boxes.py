"""Anchor and prior boxes, and transformations of boxes."""

from lite.ir.types import Dim
from lite.ops.rules import same_as, total
from lite.ops.schema import choice, floats, number, ints, op
from lite.ops.view import Inferred, Meta, OpView


def _grid(op: OpView, slot: str, first: str, count: int, flat: bool = False) -> Inferred:
    """`count` boxes at each cell of a feature map: [H, W, count, 4], or [H * W * count, 4]."""
    x = op[slot]
    _, _, height, width = x.dims
    shape: tuple[Dim, ...] = (total((height, width, count)), 4) if flat else (height, width, count, 4)
    return {first: Meta(x.dtype, shape), "Variances": Meta(x.dtype, shape)}


def _reals(op: OpView, name: str) -> list[float]:
    return op.reals(name)


def _prior_box(op: OpView) -> Inferred:
    ...
