"""Ops that change the shape, permute axes, or repeat elements."""

from __future__ import annotations

from lite.ir.types import NO_LOD, UNKNOWN, DType, Shape
from lite.ops.attrs import ints, longs
from lite.ops.broadcast import broadcast_right
from lite.ops.new_shape import expanded, flattened, flattened_2d, reshaped, squeezed, tiled, unsqueezed
from lite.ops.rules import check_axes
from lite.ops.schema import LOD_BY_RULE, Canonical, Trait, old_spelling, op
from lite.ops.shape_input import elements
from lite.ops.view import Inferred, Meta, OpView


def _view(op: OpView, shape: Shape | None) -> Inferred:
    """The metas of a view; the LoD stays while the size of axis 0 stays."""
    x = op["X"]
    kept = shape and x.dims and shape[0] == x.dims[0]
    return {
        "Out": Meta(x.dtype, shape, lod=x.lod if kept else NO_LOD),
        "XShape": Meta(DType.FLOAT32, (0, *x.dims)),
    }


def _reshape(op: OpView) -> Inferred:
    sizes = elements(op, "shape", "ShapeTensor", "Shape")
    if sizes is None:
        return _view(op, None)
    if op["X"].shape is None:
        return Meta(
            op["X"].dtype, tuple(size if size is not None and size > 0 else UNKNOWN for size in sizes)
        )
    return _view(op, reshaped(op.op, op["X"].dims, sizes))


def _squeeze(op: OpView) -> Inferred:
    axes = elements(op, "axes", "AxesTensor")
    if axes is None:
        return _view(op, None)
    known = [axis for axis in axes if axis is not None]
    rank = op["X"].rank
    if len(known) < len(axes):
        return _view(op, (UNKNOWN,) * (rank - len(axes)) if len(axes) <= rank else None)
    if any(not -max(rank, 1) <= axis < max(rank, 1) for axis in known):
        raise op.error("attribute axes", f"axes of {op['X']}", known)
    return _view(op, squeezed(op["X"].dims, known))


def _unsqueeze(op: OpView) -> Inferred:
    axes = elements(op, "axes", "AxesTensorList", "AxesTensor")
    if axes is None:
        return _view(op, None)
    known = [axis for axis in axes if axis is not None]
    if len(known) < len(axes):
        return _view(op, (UNKNOWN,) * (op["X"].rank + len(axes)))
    rank = op["X"].rank
    if any(not -rank - n - 1 <= axis <= rank + n for n, axis in enumerate(known)):
        raise op.error("axes", f"positions among the {rank} axes of {op['X']}", known)
    return _view(op, unsqueezed(op["X"].dims, known))


def _flatten2(op: OpView) -> Inferred:
    axis = op["X"].axis(op.integer("axis"))
    if not 0 <= axis <= op["X"].rank:
        raise op.error("attribute axis", f"an axis of {op['X']}", axis)
    return _view(op, flattened_2d(op["X"].dims, axis))


def _flatten_contiguous_range(op: OpView) -> Inferred:
    start, stop = op["X"].axis(op.integer("start_axis")), op["X"].axis(op.integer("stop_axis"))
    rank = op["X"].rank
    if rank and not 0 <= start <= stop < rank:
        raise op.error("start_axis, stop_axis", f"a range of axes of {op['X']}", (start, stop))
    return _view(op, flattened(op["X"].dims, start, stop))


_VIEW = {"Out": "X"}

op(
    "reshape2",
    "The same elements in another shape.",
    "X Shape?:index ShapeTensor?*:index",
    "Out XShape?",
    _reshape,
    attrs={"shape": ints()},
    view=_VIEW,
    lod=LOD_BY_RULE,
    attr_slots={"Shape": "shape", "ShapeTensor": "shape"},
    traits=(Trait.RESHAPE,),
)
old_spelling("reshape", "reshape2", outputs="Out")
op(
    "squeeze2",
    "Removes axes of size 1.",
    "X AxesTensor?:index",
    "Out XShape?",
    _squeeze,
    attrs={"axes": ints()},
    view=_VIEW,
    lod=LOD_BY_RULE,
    attr_slots={"AxesTensor": "axes"},
    traits=(Trait.RESHAPE,),
)
old_spelling("squeeze", "squeeze2", inputs="X", outputs="Out")
op(
    "unsqueeze2",
    "Inserts axes of size 1.",
    "X AxesTensor?:index AxesTensorList?*:index",
    "Out XShape?",
    _unsqueeze,
    attrs={"axes": ints()},
    view=_VIEW,
    lod=LOD_BY_RULE,
    attr_slots={"AxesTensor": "axes", "AxesTensorList": "axes"},
    traits=(Trait.RESHAPE,),
)
old_spelling("unsqueeze", "unsqueeze2", outputs="Out")
op(
    "flatten2",
    "A matrix whose rows are the axes before `axis`.",
    "X",
    "Out XShape?",
    _flatten2,
    attrs={"axis": 1},
    view=_VIEW,
    lod=LOD_BY_RULE,
    traits=(Trait.RESHAPE,),
)
old_spelling("flatten", "flatten2", outputs="Out")
op(
    "flatten_contiguous_range",
    "Merges the axes from start_axis to stop_axis.",
    "X",
    "Out XShape?",
    _flatten_contiguous_range,
    attrs={"start_axis": 1, "stop_axis": 1},
    view=_VIEW,
    lod=LOD_BY_RULE,
    traits=(Trait.RESHAPE,),
)


def _transpose(op: OpView) -> Inferred:
    x = op["X"]
    axes = [x.axis(axis) for axis in op.integers("axis")]
    if sorted(axes) != list(range(x.rank)):
        raise op.error("attribute axis", f"a permutation of the {x.rank} axes of {x}", op.integers("axis"))
    return {"Out": Meta(x.dtype, tuple(x.dims[axis] for axis in axes)), "XShape": Meta(x.dtype, (0, *x.dims))}


def _moved(op: OpView) -> Meta:
    x = op["X"]
    if x.is_array:
        return Meta(x.dtype, None, is_array=True)
    check_axes(op, "axis", op.integers("axis"), x)
    return Meta(x.dtype, x.shape)


def _roll(op: OpView) -> Meta:
    axes = op.integers("axis")
    if op.get("ShiftsTensor") is None and len(op.integers("shifts")) != max(len(axes), 1):
        raise op.error("attribute shifts", f"one shift for each of the axes {axes}", op.integers("shifts"))
    return _moved(op)


op(
    "transpose2",
    "Permutes the axes.",
    "X",
    "Out XShape?",
    _transpose,
    attrs={"axis": ints()},
    traits=(Trait.MOVEMENT,),
)
old_spelling("transpose", "transpose2", outputs="Out")
# For an X whose rank is known at run time only; after ONNX Transpose without perm.
op(
    "reverse_axes",
    "X with its axes in reverse order.",
    "X",
    "Out",
    lambda op: Meta(op["X"].dtype, op["X"].dims[::-1]),
    traits=(Trait.MOVEMENT,),
)
op(
    "flip",
    "Reverses the order along axes.",
    "X",
    "Out",
    _moved,
    attrs={"axis": ints()},
    lod="X",
    traits=(Trait.MOVEMENT,),
)
old_spelling("reverse", "flip")
op(
    "roll",
    "Shifts elements along axes; those shifted out come in at the other end.",
    "X ShiftsTensor?:index",
    "Out",
    _roll,
    attrs={"axis": longs(), "shifts": longs()},
    attr_slots={"ShiftsTensor": "shifts"},
    traits=(Trait.MOVEMENT,),
)


def _expand_v2(op: OpView) -> Meta:
    x = op["X"]
    sizes = elements(op, "shape", "Shape", "expand_shapes_tensor")
    return Meta(x.dtype, None if sizes is None else expanded(op.op, x.dims, sizes))


def _broadcast_to(op: OpView) -> Meta:
    x, sizes = op["X"], elements(op, "shape", "Shape")
    if sizes is None:
        return Meta(x.dtype, None)
    shape: Shape = tuple(UNKNOWN if size is None else size for size in sizes)
    return Meta(x.dtype, broadcast_right(op, x.dims, shape))


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
    for size, goal in zip(x.dims, target.dims, strict=True):
        if isinstance(size, int) and isinstance(goal, int) and (goal % size if size else goal):
            raise op.error("slot target_tensor", f"multiples of the sizes of {x}", target)
    return Meta(x.dtype, target.dims)


def _expand_as_v2(op: OpView) -> Meta:
    x = op["X"]
    target = op["Y"].dims if op.get("Y") else tuple(op.integers("target_shape"))
    sizes = [size if isinstance(size, int) else None for size in target]
    return Meta(x.dtype, expanded(op.op, x.dims, sizes))


def _meshgrid(op: OpView) -> dict[str, list[Meta]]:
    metas = op.all("X")
    shape = tuple(meta.dims[0] if meta.rank else 1 for meta in metas)
    return {"Out": [Meta(meta.dtype, shape) for meta in metas]}


op(
    "expand_v2",
    "Repeats axes of size 1 up to a shape.",
    "X Shape?:index expand_shapes_tensor?*:index",
    "Out",
    _expand_v2,
    attrs={"shape": ints()},
    attr_slots={"expand_shapes_tensor": "shape", "Shape": "shape"},
    traits=(Trait.MOVEMENT,),
)
op(
    "broadcast_to",
    "X broadcast against a shape, after ONNX Expand: where the shape has 1, X's size stays.",
    "X Shape?:index",
    "Out",
    _broadcast_to,
    attrs={"shape": ints()},
    attr_slots={"Shape": "shape"},
    traits=(Trait.MOVEMENT,),
)
op(
    "tile",
    "Repeats the tensor a number of times along each axis.",
    "X RepeatTimes?:index repeat_times_tensor?*:index",
    "Out",
    _tile,
    attrs={"repeat_times": ints()},
    attr_slots={"repeat_times_tensor": "repeat_times", "RepeatTimes": "repeat_times"},
    traits=(Trait.MOVEMENT,),
)
op(
    "expand",
    "Old spelling of tile.",
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
    traits=(Trait.MOVEMENT,),
)
op(
    "expand_as",
    "Repeats the tensor up to the shape of target_tensor.",
    "X target_tensor",
    "Out",
    _expand_as,
    traits=(Trait.MOVEMENT,),
)
op(
    "expand_as_v2",
    "Repeats axes of size 1 up to the shape of Y.",
    "X Y?",
    "Out",
    _expand_as_v2,
    attrs={"target_shape": ints()},
    traits=(Trait.MOVEMENT,),
)
op("meshgrid", "Coordinate grids from vectors.", "X*/0-1", "Out*", _meshgrid)
