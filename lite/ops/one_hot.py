"""one_hot."""

from __future__ import annotations

from lite.ir.types import UNKNOWN, DType
from lite.ops.schema import op
from lite.ops.shape_input import element
from lite.ops.view import Meta, OpView


def _one_hot(op: OpView) -> Meta:
    x = op["X"]
    depth = element(op, "depth", "depth_tensor")
    dims = x.dims
    if op.op == "one_hot":
        if dims[-1] not in (1, UNKNOWN):
            raise op.error("slot X", "a last dimension of 1", x)
        dims = dims[:-1]
    return Meta(op.dtype("dtype", DType.FLOAT32), (*dims, UNKNOWN if depth is None else depth))


for _name, _input in (("one_hot_v2", "X:index"), ("one_hot", "X:index/1-")):
    op(
        _name,
        f"{_input} depth_tensor?:index",
        "Out",
        _one_hot,
        attrs={"depth": 1, "dtype": 5, "allow_out_of_range": False},
        lod="X",
        attr_slots={"depth_tensor": "depth"},
    )
