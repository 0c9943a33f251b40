"""Ops that pick rows or elements by index, and scatter, which puts them back."""

from __future__ import annotations

from lite.ir.types import UNKNOWN, Shape
from lite.ops.rules import apply
from lite.ops.schema import number, op
from lite.ops.shape_input import element
from lite.ops.view import Meta, OpView


def _gather(op: OpView) -> Meta:
    x, index = op["X"], op["Index"]
    if index.rank == 2 and index.dims[1] not in (1, UNKNOWN):
        raise op.error("slot Index", "one dimension (or a second one of 1)", index)
    axis = element(op, "axis", "Axis")
    if axis is None:
        return Meta(x.dtype, (UNKNOWN,) * (x.rank - 1 + min(index.rank, 1)))
    return Meta(x.dtype, _picked(op, x, axis, index.dims[:1]))


def _index_select(op: OpView) -> Meta:
    return Meta(op["X"].dtype, _picked(op, op["X"], op.integer("dim"), op["Index"].dims))


def _picked(op: OpView, x: Meta, axis: int, rows: Shape) -> Shape:
    if not -x.rank <= axis < x.rank:
        raise op.error("axis", f"an axis of {x}", axis)
    axis %= x.rank
    return (*x.dims[:axis], *rows, *x.dims[axis + 1 :])


def _gather_nd(op: OpView) -> Meta:
    x, index = op["X"], op["Index"]
    depth = index.dims[-1]
    if isinstance(depth, str):
        return Meta(x.dtype, None)
    batch = op.integer("batch_dims")
    if batch + depth > x.rank or batch >= index.rank:
        raise op.error("slot Index", f"at most {x.rank - batch} numbers on the last axis", index)
    return Meta(x.dtype, (*index.dims[:-1], *x.dims[batch + depth :]))


def _lookup_table(op: OpView) -> Meta:
    ids, width = op["Ids"], op["W"].dims[1]
    if op.op == "lookup_table_v2":
        return Meta(op["W"].dtype, (*ids.dims, width))
    if ids.dims[-1] not in (1, UNKNOWN):
        raise op.error("slot Ids", "a last dimension of 1", ids)
    if op.op == "lookup_table_dequant":
        width = apply(width, lambda size: (size - 2) * 4)
    return Meta(op["W"].dtype, (*ids.dims[:-1], width))


def _scatter(op: OpView) -> Meta:
    return Meta(op["X"].dtype, op["X"].shape)


op(
    "gather",
    "X/1- Index:index/0-2 Axis?:index",
    "Out",
    _gather,
    attrs={"axis": 0},
    attr_slots={"Axis": "axis"},
)
op("index_select", "X/1- Index:index/1", "Out", _index_select, attrs={"dim": 0})
# batch_dims is ONNX's: so many leading axes of X and Index go together.
op("gather_nd", "X Index:index/1-", "Out", _gather_nd, attrs={"batch_dims": number(0, 0)})
op("lookup_table_v2", "W/2 Ids:int", "Out", _lookup_table, attrs={"padding_idx": -1}, lod="Ids")
op("lookup_table", "W/2 Ids:int/1-", "Out", _lookup_table, attrs={"padding_idx": -1}, lod="Ids")
op(
    "lookup_table_dequant",
    "W:float32/2 Ids:int/1-",
    "Out",
    _lookup_table,
    attrs={"padding_idx": -1},
    lod="Ids",
)
op("scatter", "X/1- Ids:index/0-2 Updates", "Out", _scatter, attrs={"overwrite": True}, inplace={"Out": "X"})
op("scatter_nd_add", "X/1- Index:index/1- Updates", "Out", _scatter, inplace={"Out": "X"})
