"""Ops that repeat a tensor along its axes."""

from __future__ import annotations

from collections.abc import Sequence

from lite.errors import GraphError
from lite.ir.types import UNKNOWN, Dim, Shape
from lite.ops.rules import broadcast_right
from lite.ops.schema import Canonical, ints, op
from lite.ops.shape_input import elements
from lite.ops.view import Meta, OpView


def expanded(name: str, dims: Shape, wanted: Sequence[int | None]) -> Shape:
    """`dims`, aligned at the last axis, broadcast to `wanted`, where -1 keeps the size.

    None is a size that is not known yet.  Raises `GraphError` naming `name` where they do not fit.
    """
    new = len(wanted) - len(dims)
    if new < 0:
        raise GraphError(
            f"{name}: shape: expected at least the {len(dims)} axes of {list(dims)}, got {wanted}"
        )
    padded: Shape = (1,) * new + dims
    return tuple(
        _expanded(name, dims, dim, size, n < new)
        for n, (dim, size) in enumerate(zip(padded, wanted, strict=True))
    )


def _expanded(name: str, dims: Shape, dim: Dim, wanted: int | None, is_new: bool) -> Dim:
    if wanted is None:
        return dim if isinstance(dim, int) and dim != 1 else UNKNOWN
    if wanted < 0 and not is_new:
        return dim
    if wanted < 0 or (isinstance(dim, int) and dim not in (1, wanted)):
        raise GraphError(
            f"{name}: shape: {list(dims)} cannot be expanded to a size of {wanted} where it has {dim}"
        )
    return wanted


def _expand_v2(op: OpView) -> Meta:
    x = op["X"]
    wanted = elements(op, "shape", "Shape", "expand_shapes_tensor")
    return Meta(x.dtype, None if wanted is None else expanded(op.op, x.dims, wanted))


def _broadcast_to(op: OpView) -> Meta:
    x, wanted = op["X"], elements(op, "shape", "Shape")
    if wanted is None:
        return Meta(x.dtype, None)
    shape: Shape = tuple(UNKNOWN if size is None else size for size in wanted)
    return Meta(x.dtype, broadcast_right(op, x.dims, shape))


def tiled(dims: Shape, times: Sequence[int | None]) -> Shape:
    """`dims` and `times`, aligned at the last axis, multiplied; None is a number not known yet."""
    rank = max(len(dims), len(times))
    padded = (1,) * (rank - len(dims)) + dims
    factors = [*[1] * (rank - len(times)), *times]
    return tuple(
        dim if factor == 1 else UNKNOWN if factor is None or isinstance(dim, str) else dim * factor
        for dim, factor in zip(padded, factors, strict=True)
    )


def _tile(op: OpView) -> Meta:
    x = op["X"]
    times = elements(op, "repeat_times", "RepeatTimes", "repeat_times_tensor")
    return Meta(x.dtype, None if times is None else tiled(x.dims, times))


def _expand(op: OpView) -> Meta:
    x = op["X"]
    times = elements(op, "expand_times", "ExpandTimes", "expand_times_tensor")
    if times is not None and len(times) != x.rank:
        raise op.error("expand_times", f"a number for each of the {x.rank} axes", times)
    return Meta(x.dtype, None if times is None else tiled(x.dims, times))


def _expand_as(op: OpView) -> Meta:
    x, target = op["X"], op["target_tensor"]
    if x.rank != target.rank:
        raise op.error("slot target_tensor", f"rank {x.rank} like X", target)
    for size, wanted in zip(x.dims, target.dims, strict=True):
        if isinstance(size, int) and isinstance(wanted, int) and (wanted % size if size else wanted):
            raise op.error("slot target_tensor", f"multiples of the sizes of {x}", target)
    return Meta(x.dtype, target.dims)


def _expand_as_v2(op: OpView) -> Meta:
    x = op["X"]
    wanted = op["Y"].dims if op.get("Y") else tuple(op.integers("target_shape"))
    sizes = [size if isinstance(size, int) else None for size in wanted]
    return Meta(x.dtype, expanded(op.op, x.dims, sizes))


def _meshgrid(op: OpView) -> dict[str, list[Meta]]:
    metas = op.all("X")
    shape = tuple(meta.dims[0] if meta.rank else 1 for meta in metas)
    return {"Out": [Meta(meta.dtype, shape) for meta in metas]}


op(
    "expand_v2",
    "X Shape?:index expand_shapes_tensor?*:index",
    "Out",
    _expand_v2,
    attrs={"shape": ints()},
    attr_slots={"expand_shapes_tensor": "shape", "Shape": "shape"},
)
# ONNX Expand: X and a shape broadcast against each other; where the shape has 1, X's size stays.
op(
    "broadcast_to",
    "X Shape?:index",
    "Out",
    _broadcast_to,
    attrs={"shape": ints()},
    attr_slots={"Shape": "shape"},
)
op(
    "tile",
    "X RepeatTimes?:index repeat_times_tensor?*:index",
    "Out",
    _tile,
    attrs={"repeat_times": ints()},
    attr_slots={"repeat_times_tensor": "repeat_times", "RepeatTimes": "repeat_times"},
)
op(
    "expand",
    "X ExpandTimes?:index expand_times_tensor?*:index",
    "Out",
    _expand,
    attrs={"expand_times": ints()},
    attr_slots={"expand_times_tensor": "expand_times", "ExpandTimes": "expand_times"},
    canonical=Canonical(
        "tile",
        lambda attrs: {"repeat_times": attrs["expand_times"]},
        {"ExpandTimes": "RepeatTimes", "expand_times_tensor": "repeat_times_tensor"},
    ),
)
op("expand_as", "X target_tensor", "Out", _expand_as)
op("expand_as_v2", "X Y?", "Out", _expand_as_v2, attrs={"target_shape": ints()})
op("meshgrid", "X*/0-1", "Out*", _meshgrid)
