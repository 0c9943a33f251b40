"""Comparisons, logic, bits → Equal, Less, LogicalAnd, BitwiseOr, …; where → Select (opset 15).

Both inputs must have the same type.  Comparisons take float16, float32, int32 and int64; equal and not_equal
also take bool.  Logical ops take bool, bitwise ops take bool and int32.
"""

from __future__ import annotations

from collections.abc import Callable

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.fused_attention import widened
from lite.bridges.openvino.limits import ANY, BOOL, INT32, NUMBER, DTypes, why_not_mixed_types
from lite.bridges.openvino.ops.elementwise import aligned_inputs
from lite.bridges.openvino.row import Row
from lite.ir.types import DType
from lite.plugin.device import BridgeOp, bridge

Function = Callable[[Builder, Tensor, Tensor], Tensor]

_TABLE: dict[str, tuple[Function, DTypes]] = {
    "bitwise_and": (lambda b, x, y: b.op.bitwise_and(x, y), BOOL | INT32),
    "bitwise_or": (lambda b, x, y: b.op.bitwise_or(x, y), BOOL | INT32),
    "bitwise_xor": (lambda b, x, y: b.op.bitwise_xor(x, y), BOOL | INT32),
    "equal": (lambda b, x, y: b.op.equal(x, y), NUMBER | BOOL),
    "greater_equal": (lambda b, x, y: b.op.greater_equal(x, y), NUMBER),
    "greater_than": (lambda b, x, y: b.op.greater(x, y), NUMBER),
    "less_equal": (lambda b, x, y: b.op.less_equal(x, y), NUMBER),
    "less_than": (lambda b, x, y: b.op.less(x, y), NUMBER),
    "logical_and": (lambda b, x, y: b.op.logical_and(x, y), BOOL),
    "logical_or": (lambda b, x, y: b.op.logical_or(x, y), BOOL),
    "logical_xor": (lambda b, x, y: b.op.logical_xor(x, y), BOOL),
    "not_equal": (lambda b, x, y: b.op.not_equal(x, y), NUMBER | BOOL),
}


def _row(function: Function, dtypes: DTypes) -> Row:
    def make(b: Builder, op: BridgeOp, x: Tensor, y: Tensor) -> Tensor:
        result = function(b, *aligned_inputs(b, op, x, y))
        return b.cast(result, op.output().dtype)

    return Row("X Y", make, dtypes, one_type=True)


def _bitwise_not(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    return b.op.logical_not(x) if op["X"].dtype == DType.BOOL else b.op.bitwise_not(x)


def _why_not_where(op: BridgeOp) -> str | None:
    return why_not_mixed_types(op, "X", "Y")


def _where(b: Builder, op: BridgeOp, condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return b.op.select(condition, widened(b, op, "X", x), widened(b, op, "Y", y))


for _name, (_function, _dtypes) in _TABLE.items():
    bridge("openvino", _name)(_row(_function, _dtypes))
bridge("openvino", "bitwise_not")(Row("X", _bitwise_not, BOOL | INT32))
bridge("openvino", "where")(Row("Condition X Y", _where, ANY, {"Condition": BOOL}, check=_why_not_where))
