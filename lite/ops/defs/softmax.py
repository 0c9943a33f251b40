"""Normalisations of the elements along one axis."""

from __future__ import annotations

from lite.ops.schema import op
from lite.ops.view import Meta, OpView


def _along_axis(op: OpView) -> Meta:
    x = op["X"]
    axis = op.integer("axis")
    if x.shape and not -len(x.shape) <= axis < len(x.shape):
        raise op.error("attribute axis", f"an axis of {x}", axis)
    return Meta(x.dtype, x.shape)


# hardmax is ONNX's: a one where softmax has its first maximum, zeros elsewhere.
for _name in ("softmax", "log_softmax", "hardmax"):
    op(_name, "X:float", "Out", _along_axis, attrs={"axis": -1}, lod="X", inplace={"Out": "X"})
