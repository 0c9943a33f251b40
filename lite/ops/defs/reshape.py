"""Ops that keep the elements and their order and change only the shape."""

from __future__ import annotations

from collections.abc import Sequence

from lite.errors import GraphError
from lite.ir.types import NO_LOD, UNKNOWN, Dim, DType, Shape
from lite.ops.rules import total
from lite.ops.schema import LOD_BY_RULE, ints, op
from lite.ops.shape_input import elements
from lite.ops.view import Inferred, Meta, OpView


def reshaped(name: str, dims: Shape, wanted: Sequence[int | None]) -> Shape:
    """The shape that reshape2 gives to `dims`: 0 copies the dimension of that axis, -1 takes what is left.

    None is a number that is not known yet.  Raises `GraphError` naming `name` where the counts differ.
    """
    if wanted.count(-1) > 1 or any(dim is not None and dim < -1 for dim in wanted):
        raise GraphError(f"{name}: shape: expected sizes, 0 and at most one -1, got {list(wanted)}")
    left = list(dims)
    result: list[Dim] = []
    for axis, dim in enumerate(wanted):
        if dim == 0 and axis < len(dims):
            result.append(dims[axis])
            left[axis] = 1
        else:
            result.append(UNKNOWN if dim is None else dim)
    if -1 in wanted:
        result[wanted.index(-1)] = _left_over(name, dims, left, wanted)
    elif all(isinstance(dim, int) for dim in (*dims, *result)) and total(dims) != total(result):
        raise _mismatch(name, dims, wanted)
    return tuple(result)


def squeezed(dims: Shape, axes: Sequence[int]) -> Shape | None:
    """`dims` without those of `axes` (empty: all axes) that are 1; None where that is not known."""
    rank = len(dims)
    chosen = {axis + rank if axis < 0 else axis for axis in axes} or set(range(rank))
    if any(isinstance(dims[axis], str) for axis in chosen if axis < rank):
        return None
    return tuple(dim for axis, dim in enumerate(dims) if axis not in chosen or dim != 1)


def unsqueezed(dims: Shape, axes: Sequence[int]) -> Shape:
    """`dims` with a 1 inserted at each of `axes`, one after another in the order given."""
    result = list(dims)
    for axis in axes:
        result.insert(axis + len(result) + 1 if axis < 0 else axis, 1)
    return tuple(result)


def flattened(dims: Shape, start: int, stop: int) -> Shape:
    """`dims` with the axes from `start` to `stop` made one; a 0-D tensor becomes 1-D."""
    rank = len(dims)
    if not rank:
        return (1,)
    start, stop = start % rank, stop % rank
    return (*dims[:start], total(dims[start : stop + 1]), *dims[stop + 1 :])


def flattened_2d(dims: Shape, axis: int) -> Shape:
    """The matrix whose rows are the axes before `axis`; a 0-D tensor becomes 1-D."""
    return (total(dims[:axis]), total(dims[axis:])) if dims else (1,)


def _left_over(name: str, dims: Shape, left: Sequence[Dim], wanted: Sequence[int | None]) -> Dim:
    if None in wanted:
        return UNKNOWN
    size = 1
    symbols = [dim for dim in left if isinstance(dim, str)]
    for dim in left:
        size *= dim if isinstance(dim, int) else 1
    divisor = 1
    for axis, number in enumerate(wanted):
        if number is not None and (number > 0 or (number == 0 and axis >= len(dims))):
            divisor *= number
    if symbols:
        return symbols[0] if len(symbols) == 1 and size == divisor else UNKNOWN
    if divisor == 0 or size % divisor:
        raise _mismatch(name, dims, wanted)
    return size // divisor


def _mismatch(name: str, dims: Shape, wanted: Sequence[int | None]) -> GraphError:
    return GraphError(f"{name}: shape: expected as many elements as {list(dims)} has, got {list(wanted)}")


def _view(op: OpView, shape: Shape | None) -> Inferred:
    """LoD stays with axis 0 while its size does."""
    x = op["X"]
    kept = shape and x.dims and shape[0] == x.dims[0]
    return {
        "Out": Meta(x.dtype, shape, lod=x.lod if kept else NO_LOD),
        "XShape": Meta(DType.FLOAT32, (0, *x.dims)),
    }


def _reshape(op: OpView) -> Inferred:
    wanted = elements(op, "shape", "ShapeTensor", "Shape")
    if wanted is None:
        return _view(op, None)
    if op["X"].shape is None:
        return Meta(op["X"].dtype, tuple(dim if dim is not None and dim > 0 else UNKNOWN for dim in wanted))
    return _view(op, reshaped(op.op, op["X"].dims, wanted))


def _squeeze(op: OpView) -> Inferred:
    found = elements(op, "axes", "AxesTensor")
    if found is None:
        return _view(op, None)
    axes = [axis for axis in found if axis is not None]
    rank = op["X"].rank
    if len(axes) < len(found):
        return _view(op, (UNKNOWN,) * (rank - len(found)) if len(found) <= rank else None)
    if any(not -max(rank, 1) <= axis < max(rank, 1) for axis in axes):
        raise op.error("attribute axes", f"axes of {op['X']}", axes)
    return _view(op, squeezed(op["X"].dims, axes))


def _unsqueeze(op: OpView) -> Inferred:
    axes = elements(op, "axes", "AxesTensorList", "AxesTensor")
    if axes is None:
        return _view(op, None)
    known = [axis for axis in axes if axis is not None]
    if len(known) < len(axes):
        return _view(op, (UNKNOWN,) * (op["X"].rank + len(axes)))
    rank = op["X"].rank
    if any(not -rank - n - 1 <= axis <= rank + n for n, axis in enumerate(known)):
        raise op.error("axes", f"places among the {rank} axes of {op['X']}", known)
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


_SHAPE_SLOTS = {"Shape": "shape", "ShapeTensor": "shape"}
_AXES_SLOTS = {"AxesTensor": "axes", "AxesTensorList": "axes"}
_VIEW = {"Out": "X"}

op(
    "reshape2",
    "X Shape?:index ShapeTensor?*:index",
    "Out XShape?",
    _reshape,
    attrs={"shape": ints()},
    view=_VIEW,
    lod=LOD_BY_RULE,
    attr_slots=_SHAPE_SLOTS,
)
op(
    "reshape",
    "X Shape?:index ShapeTensor?*:index",
    "Out",
    _reshape,
    attrs={"shape": ints()},
    view=_VIEW,
    lod=LOD_BY_RULE,
    attr_slots=_SHAPE_SLOTS,
    canonical="reshape2",
)
op(
    "squeeze2",
    "X AxesTensor?:index",
    "Out XShape?",
    _squeeze,
    attrs={"axes": ints()},
    view=_VIEW,
    lod=LOD_BY_RULE,
    attr_slots={"AxesTensor": "axes"},
)
op("squeeze", "X", "Out", _squeeze, attrs={"axes": ints()}, view=_VIEW, lod=LOD_BY_RULE, canonical="squeeze2")
op(
    "unsqueeze2",
    "X AxesTensor?:index AxesTensorList?*:index",
    "Out XShape?",
    _unsqueeze,
    attrs={"axes": ints()},
    view=_VIEW,
    lod=LOD_BY_RULE,
    attr_slots=_AXES_SLOTS,
)
op(
    "unsqueeze",
    "X AxesTensor?:index AxesTensorList?*:index",
    "Out",
    _unsqueeze,
    attrs={"axes": ints()},
    view=_VIEW,
    lod=LOD_BY_RULE,
    attr_slots=_AXES_SLOTS,
    canonical="unsqueeze2",
)
op("flatten2", "X", "Out XShape?", _flatten2, attrs={"axis": 1}, view=_VIEW, lod=LOD_BY_RULE)
op("flatten", "X", "Out", _flatten2, attrs={"axis": 1}, view=_VIEW, lod=LOD_BY_RULE, canonical="flatten2")
op(
    "flatten_contiguous_range",
    "X",
    "Out XShape?",
    _flatten_contiguous_range,
    attrs={"start_axis": 1, "stop_axis": 1},
    view=_VIEW,
    lod=LOD_BY_RULE,
)
