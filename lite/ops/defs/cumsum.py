"""Running sums and products."""

from __future__ import annotations

from lite.ops.rules import total
from lite.ops.schema import op
from lite.ops.shape_input import element
from lite.ops.view import Meta, OpView


def _cumsum(op: OpView) -> Meta:
    x = op["X"]
    if op.flag("flatten"):
        return Meta(x.dtype, (total(x.dims),))
    return _along(op, "axis")


def _cumprod(op: OpView) -> Meta:
    return _along(op, "dim")


def _along(op: OpView, attr: str) -> Meta:
    x, axis = op["X"], element(op, attr, "AxisTensor")
    if x.shape and axis is not None and not -len(x.shape) <= axis < len(x.shape):
        raise op.error(f"attribute {attr}", f"an axis of {x}", axis)
    return Meta(x.dtype, x.shape)


op(
    "cumsum",
    "X:number AxisTensor?:index",
    "Out",
    _cumsum,
    # keep_single is ours: whether a tensor of one element stays as it is even if exclusive, as in Paddle.
    attrs={"axis": -1, "flatten": False, "exclusive": False, "reverse": False, "keep_single": True},
    attr_slots={"AxisTensor": "axis"},
    lod="X",
)
op(
    "cumprod",
    "X:number AxisTensor?:index",
    "Out",
    _cumprod,
    attrs={"dim": -1, "exclusive": False, "reverse": False},
    attr_slots={"AxisTensor": "dim"},
    lod="X",
)
