"""Ops that cut a box out of a tensor: crop and crop_tensor."""

from __future__ import annotations

from collections.abc import Sequence

from lite.errors import GraphError
from lite.ir.types import UNKNOWN, Dim, Shape
from lite.ops.schema import ints, op
from lite.ops.shape_input import elements
from lite.ops.view import Meta, OpView


def cropped(name: str, dims: Shape, wanted: Sequence[int | None], offsets: Sequence[int | None]) -> Shape:
    """The shape of a box of `dims` with sizes `wanted` from `offsets` on; -1 reaches to the end.

    None is a number that is not known yet.  Raises `GraphError` naming `name` for a box that juts out.
    """
    if len(wanted) != len(dims) or len(offsets) != len(dims):
        found = f"{list(wanted)} and {list(offsets)}"
        raise GraphError(f"{name}: shape, offsets: expected {len(dims)} numbers each, got {found}")
    result: list[Dim] = []
    for dim, size, offset in zip(dims, wanted, offsets, strict=True):
        if size is None or (size < 0 and (offset is None or isinstance(dim, str))):
            result.append(UNKNOWN)
        else:
            result.append(dim - offset if size < 0 else size)  # type: ignore[operator]
        last = result[-1]
        fits = (
            offset is None
            or isinstance(dim, str)
            or isinstance(last, str)
            or 0 <= offset <= offset + last <= dim
        )
        if not fits:
            raise GraphError(f"{name}: expected a box within {list(dims)}, got {wanted} from {offsets}")
    return tuple(result)


def crop_offsets(offsets: Sequence[int], rank: int) -> list[int]:
    """The offsets of crop; none given are zeros."""
    return list(offsets) or [0] * rank


def _crop(op: OpView) -> Meta:
    x = op["X"]
    offsets = elements(op, "offsets", "Offsets")
    wanted = op.integers("shape") if op.get("Y") is None else op["Y"].shape
    if wanted is None:
        return Meta(x.dtype, (UNKNOWN,) * x.rank)
    sizes = [size if isinstance(size, int) else None for size in wanted]
    return Meta(x.dtype, cropped(op.op, x.dims, sizes, offsets or [0] * x.rank))


def _crop_tensor(op: OpView) -> Meta:
    x = op["X"]
    wanted = elements(op, "shape", "Shape", "ShapeTensor")
    offsets = elements(op, "offsets", "Offsets", "OffsetsTensor")
    unknown = [None] * x.rank
    return Meta(x.dtype, cropped(op.op, x.dims, wanted or unknown, offsets or [0] * x.rank))


op(
    "crop",
    "X Y? Offsets?:index",
    "Out",
    _crop,
    attrs={"offsets": ints(), "shape": ints()},
    attr_slots={"Offsets": "offsets"},
)
op(
    "crop_tensor",
    "X Shape?:index ShapeTensor?*:index Offsets?:index OffsetsTensor?*:index",
    "Out",
    _crop_tensor,
    attrs={"offsets": ints(), "shape": ints()},
    attr_slots={
        "ShapeTensor": "shape",
        "Shape": "shape",
        "OffsetsTensor": "offsets",
        "Offsets": "offsets",
    },
)
