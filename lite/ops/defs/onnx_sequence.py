"""Tensor arrays as values, after ONNX's sequences: every op gives a new array, none writes to an old one.

Positions are numbers of one element; those below 0 count from the end.
"""

from __future__ import annotations

from lite.ir.types import DType
from lite.ops.schema import number, op
from lite.ops.view import Meta, OpView


def _make(op: OpView) -> Meta:
    elements = op.all("X")
    return Meta(elements[0].dtype if elements else op.dtype("dtype", DType.FLOAT32), None, is_array=True)


def _same(op: OpView) -> Meta:
    return Meta(op["X"].dtype, None, is_array=True)


def _element(op: OpView) -> Meta:
    return Meta(op["X"].dtype, None)


op("make_array", "X?*", "Out", _make, attrs={"dtype": -1})
op("insert_to_array", "X Item Position?:index", "Out", _same)
op("erase_from_array", "X Position?:index", "Out", _same)
op("array_element", "X Position:index", "Out", _element)
op("split_to_array", "X/1- Split?:index/0-1", "Out", _same, attrs={"axis": 0, "keepdims": number(1, 0, 1)})
