"""Ops that pick, repeat or replace elements by masks and indices, on segments of rows, and on graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.ir.types import UNKNOWN, Dim, DType
from lite.ops.attrs import choice, longs
from lite.ops.broadcast import broadcast_right
from lite.ops.rules import apply, checked_axis, same_as, total
from lite.ops.schema import op
from lite.ops.view import Inferred, Meta, OpView

_EVERY_AXIS = -(2**31)


def _masked_select(op: OpView) -> Meta:
    return Meta(op["X"].dtype, (UNKNOWN,))


def _masked_fill(op: OpView) -> Meta:
    x, mask = op["x"], op["mask"]
    return Meta(x.dtype, broadcast_right(op, x.dims, mask.dims))


def _index_sample(op: OpView) -> Meta:
    return Meta(op["X"].dtype, op["Index"].shape)


def _multiplex(op: OpView) -> Meta:
    first = op.all("X")[0]
    return Meta(first.dtype, (op["Ids"].dims[0], *first.dims[1:]))


def _repeat_interleave(op: OpView) -> Meta:
    x, axis, repeats = op["X"], op.integer("dim"), op.get("RepeatsTensor")
    dims: Sequence[Dim] = (total(x.dims),) if axis == _EVERY_AXIS else x.dims
    place = 0 if axis == _EVERY_AXIS else checked_axis(op, x, axis, "attribute dim")
    size = dims[place]
    count: Dim = UNKNOWN
    if repeats is None:
        count = apply(size, lambda n: n * op.integer("Repeats"))
    elif repeats.value is not None:
        numbers = op.values("RepeatsTensor") or [0]
        count = apply(size, lambda n: n * numbers[0]) if len(numbers) == 1 else sum(numbers)
    return Meta(x.dtype, (*dims[:place], count, *dims[place + 1 :]))


def _broadcast_tensors(op: OpView) -> Mapping[str, Sequence[Meta]]:
    sources = op.all("X")
    shape = sources[0].dims
    for source in sources[1:]:
        shape = broadcast_right(op, shape, source.dims)
    return {"Out": [Meta(source.dtype, shape) for source in sources]}


op("masked_select", "The elements of X where Mask holds.", "X Mask:bool", "Y", _masked_select)
op("masked_fill", "x with value where mask holds.", "x mask:bool value", "out", _masked_fill)
op(
    "index_put",
    "x with elements or slices at indices, or where masks hold, replaced by value or added to it.",
    "x indices*:index|bool value",
    "out",
    same_as("x"),
    attrs={"accumulate": False},
)
op(
    "index_add",
    "X with AddValue added to its slices at positions of an axis.",
    "X/1- Index:index/0-1 AddValue",
    "Out",
    same_as("X"),
    attrs={"axis": 0},
)
op("index_sample", "Elements of each row of X by index.", "X/2 Index:index/2", "Out", _index_sample)
op("multiplex", "Row i of the result is row i of the tensor Ids[i].", "X* Ids:index/1-2", "Out", _multiplex)
op(
    "repeat_interleave",
    "Each slice of X along an axis several times.",
    "X RepeatsTensor?:index",
    "Out",
    _repeat_interleave,
    attrs={"Repeats": 1, "dim": _EVERY_AXIS},
)
op("broadcast_tensors", "Tensors expanded to a common shape.", "X*", "Out*", _broadcast_tensors)
op(
    "shard_index",
    "Ids of one shard counted from its first id; `ignore_value` for the others.",
    "X:index",
    "Out",
    same_as("X"),
    attrs={"index_num": 0, "nshards": 1, "shard_id": 0, "ignore_value": -1},
)


def _searchsorted(op: OpView) -> Meta:
    return Meta(DType.INT32 if op.flag("out_int32") else DType.INT64, op["Values"].shape)


def _bincount(op: OpView) -> Meta:
    weights = op.get("Weights")
    return Meta(DType.INT64 if weights is None else weights.dtype, (UNKNOWN,))


def _histogram(op: OpView) -> Meta:
    weights = op.get("Weight")
    real = op.flag("density") or weights is not None
    return Meta(DType.FLOAT32 if real else DType.INT64, (op.integer("bins"),))


op(
    "searchsorted",
    "Where Values belong in sorted sequences.",
    "SortedSequence/1- Values",
    "Out",
    _searchsorted,
    attrs={"out_int32": False, "right": False},
)
op(
    "bincount",
    "How often each number from 0 occurs, or the sum of its Weights.",
    "X:int/1 Weights?/1",
    "Out",
    _bincount,
    attrs={"minlength": 0},
)
op(
    "histogram",
    "How many elements are in each of equal ranges.",
    "X:number Weight?",
    "Out",
    _histogram,
    attrs={"bins": 100, "min": 0.0, "max": 0.0, "density": False},
)


def _segment_pool(op: OpView) -> Inferred:
    x = op["X"]
    return {"Out": Meta(x.dtype, (UNKNOWN, *x.dims[1:])), "SummedIds": Meta(x.dtype, (UNKNOWN, 1))}


def _received(op: OpView) -> Inferred:
    x, message, sizes = op["X"], op["X"].dims[1:], op.integers("out_size")
    if op.get("Y") is not None:
        message = broadcast_right(op, message, op["Y"].dims[1:])
    rows: Dim = x.dims[0]
    if op.get("Out_size") is not None:
        rows = UNKNOWN
    elif sizes and sizes[0] > 0:
        rows = sizes[0]
    return {"Out": Meta(x.dtype, (rows, *message)), "Dst_count": Meta(DType.INT32, (rows,))}


def _sent(op: OpView) -> Meta:
    message = broadcast_right(op, op["x"].dims[1:], op["y"].dims[1:])
    return Meta(op["x"].dtype, (op["src_index"].dims[0], *message))


op(
    "segment_pool",
    "Sums, means, maxima or minima of neighbouring rows with the same id.",
    "X:number/1- SegmentIds:index/1",
    "Out SummedIds?",
    _segment_pool,
    attrs={"pooltype": choice("SUM", "MEAN", "MAX", "MIN")},
)
_REDUCE = choice("SUM", "MEAN", "MAX", "MIN")
_MESSAGE = choice("ADD", "MUL", "SUB", "DIV")
op(
    "graph_send_recv",
    "Rows of X sent along edges, and reduced where they arrive.",
    "X:number/1- Src_index:index/1 Dst_index:index/1 Out_size?:index",
    "Out Dst_count?",
    _received,
    attrs={"reduce_op": _REDUCE, "out_size": longs(0)},
)
op(
    "graph_send_ue_recv",
    "Rows of X combined with rows of the edges Y, and reduced where they arrive.",
    "X:number/1- Y:number/1- Src_index:index/1 Dst_index:index/1 Out_size?:index",
    "Out Dst_count?",
    _received,
    attrs={"message_op": _MESSAGE, "reduce_op": _REDUCE, "out_size": longs(0)},
)
op(
    "graph_send_uv",
    "A row of x combined with a row of y for each edge.",
    "x:number/1- y:number/1- src_index:index/1 dst_index:index/1",
    "out",
    _sent,
    attrs={"message_op": _MESSAGE},
)
