"""A tensor array as one tensor, after the scan outputs of ONNX Loop and Scan."""

from __future__ import annotations

from lite.ops.schema import longs, op
from lite.ops.view import Meta, OpView


def _stack_array(op: OpView) -> Meta:
    return Meta(op.dtype("dtype", op["X"].dtype), None)


op(
    "stack_array",
    "X",
    "Out",
    _stack_array,
    attrs={"axis": 0, "dtype": -1, "shape": longs(), "reverse": False},
)
