"""Running sums."""

from __future__ import annotations

from lite.ops.rules import total
from lite.ops.schema import op
from lite.ops.view import Meta, OpView


def _cumsum(op: OpView) -> Meta:
    x = op["X"]
    if op.flag("flatten"):
        return Meta(x.dtype, (total(x.dims),))
    axis = op.integer("axis")
    if x.shape and not -len(x.shape) <= axis < len(x.shape):
        raise op.error("attribute axis", f"an axis of {x}", axis)
    return Meta(x.dtype, x.shape)


op(
    "cumsum",
    "X:number",
    "Out",
    _cumsum,
    attrs={"axis": -1, "flatten": False, "exclusive": False, "reverse": False},
    lod="X",
)
