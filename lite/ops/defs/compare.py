"""Comparisons, logic and bit operations."""

from __future__ import annotations

from lite.ir.types import DType
from lite.ops.defs.elementwise import broadcast_at_axis
from lite.ops.rules import same_as
from lite.ops.schema import op
from lite.ops.view import Meta, OpView

_COMPARISONS = ("equal", "greater_equal", "greater_than", "less_equal", "less_than", "not_equal")
_BINARY_LOGIC = ("logical_and", "logical_or", "logical_xor")
_BINARY_BITS = ("bitwise_and", "bitwise_or", "bitwise_xor")
_SHIFTS = ("bitwise_left_shift", "bitwise_right_shift")
_TESTS = ("isfinite_v2", "isinf_v2", "isnan_v2")


def _compare(op: OpView) -> Meta:
    return Meta(op.dtype("out_dtype", DType.BOOL), broadcast_at_axis(op))


def _logic(op: OpView) -> Meta:
    return Meta(DType.BOOL, broadcast_at_axis(op))


def _bits(op: OpView) -> Meta:
    return Meta(op["X"].dtype, broadcast_at_axis(op))


# out_dtype is ours: the result of a comparison whose `cast` was fused.
for _name in _COMPARISONS:
    op(_name, "X Y", "Out", _compare, attrs={"axis": -1, "out_dtype": DType.BOOL.code}, lod="X")

for _name in _BINARY_LOGIC:
    op(_name, "X Y", "Out", _logic, attrs={"axis": -1}, lod="X")

for _name in _BINARY_BITS:
    op(_name, "X:int|bool Y:int|bool", "Out", _bits, attrs={"axis": -1}, lod="X", inplace={"Out": "X"})

for _name in _SHIFTS:
    op(
        _name,
        "X:int Y:int",
        "Out",
        _bits,
        attrs={"axis": -1, "is_arithmetic": True},
        lod="X",
        inplace={"Out": "X"},
    )

for _name in _TESTS:
    op(_name, "X:number", "Out", same_as("X", DType.BOOL), lod="X")

op("logical_not", "X", "Out", same_as("X", DType.BOOL), lod="X")
op("bitwise_not", "X:int|bool", "Out", same_as("X"), lod="X", inplace={"Out": "X"})
