"""Ops on segments of rows and on the edges of graphs."""

from __future__ import annotations

from lite.ir.types import UNKNOWN, Dim, DType
from lite.ops.attrs import choice, longs
from lite.ops.broadcast import broadcast_right
from lite.ops.schema import op
from lite.ops.view import Inferred, Meta, OpView


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
