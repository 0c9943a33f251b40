"""Ops that join several tensors into one, or divide one into several, along an axis."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.types import NO_LOD, UNKNOWN, Dim, Shape
from lite.ops.attrs import ints
from lite.ops.new_shape import without_axes
from lite.ops.ranges import section_sizes
from lite.ops.schema import LOD_BY_RULE, Canonical, Trait, op
from lite.ops.shape_input import element, elements
from lite.ops.view import Meta, OpView, UnknownRank


def _axis(op: OpView, axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise op.error("axis", f"an axis of a tensor of rank {rank}", axis)
    return axis % rank


def _merged(op: OpView, metas: Sequence[Meta], skip: int | None) -> list[Dim]:
    """The dimensions that all inputs share, except on axis `skip`."""
    dims = list(metas[0].dims)
    for meta in metas[1:]:
        if meta.rank != len(dims):
            raise op.error("inputs", f"rank {len(dims)} like the first", meta)
        for axis, dim in enumerate(meta.dims):
            if axis == skip or dims[axis] == dim:
                continue
            if isinstance(dim, int) and isinstance(dims[axis], int):
                raise op.error("inputs", f"size {dims[axis]} on axis {axis} like the first", meta)
            dims[axis] = dim if isinstance(dim, int) else dims[axis]
    return dims


def _concat(op: OpView) -> Meta:
    metas = op.all("X")
    axis = element(op, "axis", "AxisTensor")
    if axis is None:
        return Meta(metas[0].dtype, (UNKNOWN,) * metas[0].rank)
    axis = _axis(op, axis, metas[0].rank)
    dims = _merged(op, metas, axis)
    joined: Dim = 0
    for meta in metas:
        dim = meta.dims[axis]
        if len(metas) == 1:
            joined = dim
        else:
            joined = joined + dim if isinstance(dim, int) and isinstance(joined, int) else UNKNOWN
    dims[axis] = joined
    return Meta(metas[0].dtype, tuple(dims), lod=NO_LOD if axis == 0 else metas[0].lod)


def _stack(op: OpView) -> Meta:
    metas = op.all("X")
    dims = _merged(op, metas, None)
    dims.insert(_axis(op, op.integer("axis"), len(dims) + 1), len(metas))
    return Meta(metas[0].dtype, tuple(dims))


def _split(op: OpView) -> dict[str, list[Meta]]:
    x = op["X"]
    sections = elements(op, "sections", "SectionsTensorList") or []
    count = len(sections) or op.integer("num")
    if count < 1:
        raise op.error("attribute num", "at least 1 where there are no sections", op.integer("num"))
    axis = element(op, "axis", "AxisTensor")
    if axis is None:
        return {"Out": [Meta(x.dtype, (UNKNOWN,) * x.rank)] * count}
    axis = _axis(op, axis, x.rank)
    sizes = _sizes(op, x.dims[axis], count, sections)
    lod = x.lod if axis else NO_LOD
    return {"Out": [Meta(x.dtype, _with(x.dims, axis, size), lod=lod) for size in sizes]}


def _sizes(op: OpView, dim: Dim, count: int, sections: Sequence[int | None]) -> Sequence[Dim]:
    known = [part for part in sections if part is not None]
    if len(known) < len(sections):
        return [UNKNOWN if part is None or part < 0 else part for part in sections]
    if isinstance(dim, int):
        sizes = section_sizes(dim, count, known)
        if sum(sizes) != dim or min(sizes) < 0:
            parts = known or f"{count} equal parts"
            raise op.error("sections", f"parts that make up the size {dim} of the axis", parts)
        return sizes
    if not known:
        return [dim if count == 1 else UNKNOWN] * count
    return [UNKNOWN if part < 0 else part for part in known]


def _with(dims: Shape, axis: int, size: Dim) -> Shape:
    return (*dims[:axis], size, *dims[axis + 1 :])


def _parts(op: OpView, count: Dim) -> list[Meta]:
    x = op["X"]
    axis = _axis(op, op.integer("axis"), x.rank)
    size = x.dims[axis] if isinstance(x.dims[axis], int) else count
    if not isinstance(size, int):
        raise UnknownRank
    return [Meta(x.dtype, without_axes(x.dims, [axis]))] * size


def _unstack(op: OpView) -> dict[str, list[Meta]]:
    return {"Y": _parts(op, op.integer("num") or UNKNOWN)}


def _unbind(op: OpView) -> dict[str, list[Meta]]:
    return {"Out": _parts(op, UNKNOWN)}


op(
    "concat",
    "Concatenates tensors along an axis.",
    "X* AxisTensor?:index",
    "Out",
    _concat,
    attrs={"axis": 0},
    attr_slots={"AxisTensor": "axis"},
    lod=LOD_BY_RULE,
    traits=(Trait.MOVEMENT,),
)
op(
    "stack",
    "Stacks tensors along a new axis.",
    "X*",
    "Y",
    _stack,
    attrs={"axis": 0},
    traits=(Trait.MOVEMENT,),
)
op(
    "split",
    "Splits a tensor along an axis into parts.",
    "X/1- AxisTensor?:index SectionsTensorList?*:index",
    "Out*",
    _split,
    attrs={"axis": 0, "num": 0, "sections": ints()},
    attr_slots={"AxisTensor": "axis", "SectionsTensorList": "sections"},
    lod=LOD_BY_RULE,
    traits=(Trait.MOVEMENT,),
)
op(
    "unstack",
    "Splits a tensor along an axis into slices without that axis.",
    "X/1-",
    "Y*",
    _unstack,
    attrs={"axis": 0, "num": 0},
    traits=(Trait.MOVEMENT,),
)
op(
    "unbind",
    "Old spelling of unstack.",
    "X/1-",
    "Out*",
    _unbind,
    attrs={"axis": 0},
    canonical=Canonical("unstack", slots={"Out": "Y"}),
    traits=(Trait.MOVEMENT,),
)
