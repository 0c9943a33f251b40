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


def _one_hot_values(op: OpView) -> Meta:
    x, depth = op["X"], element(op, "depth", "Depth")
    axis = op.integer("axis")
    if not -x.rank - 1 <= axis <= x.rank:
        raise op.error("attribute axis", f"a place among the {x.rank} axes of {x}", axis)
    place = axis % (x.rank + 1)
    dims = (*x.dims[:place], UNKNOWN if depth is None else depth, *x.dims[place:])
    return Meta(op["Values"].dtype, dims)


# ONNX OneHot: Values has what stands off and on the place; negative numbers count from the back.
op(
    "one_hot_values",
    "X:number Depth?:number Values/1",
    "Out",
    _one_hot_values,
    attrs={"depth": 1, "axis": -1},
    attr_slots={"Depth": "depth"},
)
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
