"""Ops that read or write single elements, or slices of any number of axes, by index."""

from __future__ import annotations

from lite.ir.types import UNKNOWN, Dim
from lite.ops.schema import choice, number, op
from lite.ops.view import Meta, OpView


def _axis(op: OpView, name: str, x: Meta) -> int:
    axis = op.integer(name)
    if not -x.rank <= axis < x.rank:
        raise op.error(f"attribute {name}", f"an axis of {x}", axis)
    return axis % x.rank


def _take(op: OpView) -> Meta:
    x = op["X"]
    axis = _axis(op, "axis", x)
    return Meta(x.dtype, (*x.dims[:axis], *op["Index"].dims, *x.dims[axis + 1 :]))


def _take_along_axis(op: OpView) -> Meta:
    x, index = op["Input"], op["Index"]
    _axis(op, "Axis", x)
    if x.rank != index.rank:
        raise op.error("slot Index", f"rank {x.rank} like Input", index)
    return Meta(x.dtype, index.shape)


def _put_along_axis(op: OpView) -> Meta:
    x, index = op["Input"], op["Index"]
    _axis(op, "Axis", x)
    if index.shape is not None and x.rank != index.rank:
        raise op.error("slot Index", f"rank {x.rank} like Input", index)
    return Meta(x.dtype, x.shape)


def _scatter_nd_update(op: OpView) -> Meta:
    return Meta(op["X"].dtype, op["X"].shape)


def _tensor_scatter(op: OpView) -> Meta:
    x, updates = op["X"], op["Updates"]
    axis = _axis(op, "axis", x)
    if updates.shape is not None and updates.rank != x.rank:
        raise op.error("slot Updates", f"rank {x.rank} like X", updates)
    if axis == 0:
        raise op.error("attribute axis", "an axis behind the batch, axis 0", axis)
    return Meta(x.dtype, x.shape)


def _reverse_sequence(op: OpView) -> Meta:
    x = op["X"]
    if _axis(op, "batch_axis", x) == _axis(op, "time_axis", x):
        raise op.error("batch_axis, time_axis", "different axes", op.integer("time_axis"))
    return Meta(x.dtype, x.shape)


def _compress(op: OpView) -> Meta:
    x = op["X"]
    axis = _axis(op, "axis", x)
    dims: list[Dim] = list(x.dims)
    dims[axis] = UNKNOWN
    return Meta(x.dtype, tuple(dims))


# ONNX Gather: an Index of any rank, negative numbers count from the back.
op("take", "X/1- Index:index", "Out", _take, attrs={"axis": 0})
# ONNX GatherElements too: Index may be smaller than Input on the other axes.
op("take_along_axis", "Input/1- Index:index/1-", "Result", _take_along_axis, attrs={"Axis": 0})
op(
    "put_along_axis",
    "Input/1- Index:index/1- Value",
    "Result",
    _put_along_axis,
    attrs={"Axis": 0, "Reduce": choice("assign", "add", "mul", "multiply", "amax", "amin")},
    inplace={"Result": "Input"},
)
# ONNX ScatterND with its reductions but for add, which is scatter_nd_add.
op(
    "scatter_nd_update",
    "X Index:index/1- Updates",
    "Out",
    _scatter_nd_update,
    attrs={"reduction": choice("assign", "multiply", "amax", "amin")},
    inplace={"Out": "X"},
)
# ONNX TensorScatter: Updates go into X at the places along `axis` that Starts has for each of the batch.
op(
    "tensor_scatter",
    "X/2- Updates/2- Starts?:index/1",
    "Out",
    _tensor_scatter,
    attrs={"axis": -2, "mode": choice("linear", "circular")},
    inplace={"Out": "X"},
)
# ONNX ReverseSequence: the first elements along `time_axis`, as many as SequenceLens says, in reverse.
op(
    "reverse_sequence",
    "X/2- SequenceLens:index/1",
    "Out",
    _reverse_sequence,
    attrs={"batch_axis": number(1, 0), "time_axis": number(0, 0)},
)
# ONNX Compress with an axis: the slices where Condition holds; it may be shorter than the axis.
op("compress", "X/1- Condition:bool/1", "Out", _compress, attrs={"axis": 0})
