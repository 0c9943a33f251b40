"""Ops that choose by truth or by number: where, where_index, one_hot, triangles."""

from __future__ import annotations

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.row import Row
from lite.bridges.openvino.shape_tensor import unknown_number
from lite.bridges.openvino.support import ANY, BOOL, INDEX, NUMBER, same_dtype
from lite.ir.types import DType
from lite.ops.shape_input import element
from lite.plugin.device import BridgeOp, bridge


def _why_not_where(op: BridgeOp) -> str | None:
    return same_dtype(op, "X", "Y")


def _where(b: Builder, _: BridgeOp, condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return b.op.select(condition, x, y)


def _where_index(b: Builder, _: BridgeOp, condition: Tensor) -> Tensor:
    return b.transpose(b.op.non_zero(condition, "i64"), [1, 0])


def _why_not_where_index(op: BridgeOp) -> str | None:
    return None if op["Condition"].rank else "Condition has no axes"


def _one_hot(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    if op.op == "one_hot":
        x = b.op.squeeze(x, b.ints([op["X"].rank - 1]))
    depth = element(op, "depth", "depth_tensor") or 1
    dtype = op.output().dtype
    return b.op.one_hot(x, b.integer(depth), b.scalar(1, dtype), b.scalar(0, dtype), -1)


def _why_not_one_hot(op: BridgeOp) -> str | None:
    return unknown_number(op, "depth", "depth_tensor")


def _triangle(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """Rows and columns are counted, and what lies on the other side of the diagonal becomes 0."""
    rank, shape = op["X"].rank, b.sizes(x)
    rows, columns = (
        b.op.range(
            b.integer(0),
            b.op.gather(shape, b.integer(axis), b.integer(0)),
            b.integer(1),
            b.dtype(DType.INT64),
        )
        for axis in (rank - 2, rank - 1)
    )
    places = b.op.subtract(columns, b.op.unsqueeze(rows, b.ints([1])))
    diagonal = b.integer(element(op, "diagonal", "DiagonalTensor") or 0)
    compare = b.op.less_equal if op.flag("lower") else b.op.greater_equal
    return b.op.select(compare(places, diagonal), x, b.like(0, x))


def _why_not_triangle(op: BridgeOp) -> str | None:
    return unknown_number(op, "diagonal", "DiagonalTensor")


bridge("openvino", "where")(Row("Condition X Y", _where, ANY, (("Condition", BOOL),), why=_why_not_where))
bridge("openvino", "where_index")(Row("Condition", _where_index, BOOL | NUMBER, why=_why_not_where_index))
bridge("openvino", "one_hot", "one_hot_v2")(Row("X", _one_hot, INDEX, why=_why_not_one_hot))
bridge("openvino", "tril_triu")(
    Row("X", _triangle, NUMBER, (("DiagonalTensor", INDEX),), why=_why_not_triangle)
)
