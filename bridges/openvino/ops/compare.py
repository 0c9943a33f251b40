"""Comparisons, logic and bits of two tensors."""

from __future__ import annotations

from collections.abc import Callable

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.ops.elementwise import at_axis
from lite.bridges.openvino.row import Row
from lite.bridges.openvino.support import BOOL, INT32, NUMBER, DTypes
from lite.ir.types import DType
from lite.ops.defs.elementwise import aligned
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


def _why(op: BridgeOp) -> str | None:
    aligned(op["X"].dims, op["Y"].dims, op.integer("axis"))
    return None


def _row(function: Function, dtypes: DTypes) -> Row:
    def make(b: Builder, op: BridgeOp, x: Tensor, y: Tensor) -> Tensor:
        result = function(b, *at_axis(b, op, x, y))
        return b.cast(result, op.output().dtype)

    return Row("X Y", make, dtypes, alike=True, why=_why)


def _bitwise_not(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    return b.op.logical_not(x) if op["X"].dtype == DType.BOOL else b.op.bitwise_not(x)


for _name, (_function, _dtypes) in _TABLE.items():
    bridge("openvino", _name)(_row(_function, _dtypes))
bridge("openvino", "bitwise_not")(Row("X", _bitwise_not, BOOL | INT32))
