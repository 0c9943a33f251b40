"""Normalisation by a vector's length: Paddle rms_norm, ONNX LpNormalization."""

from __future__ import annotations

from lite.ops.rules import same_as
from lite.ops.schema import number, op
from lite.ops.view import Meta, OpView


def _rms_norm(op: OpView) -> Meta:
    x, axis = op["X"], op.integer("begin_norm_axis")
    if not 0 <= axis < x.rank:
        raise op.error("attribute begin_norm_axis", f"an axis of {x}", axis)
    return Meta(x.dtype, x.shape)


op(
    "rms_norm",
    "X:float/1- Scale?:float",
    "Y",
    _rms_norm,
    attrs={"epsilon": 1e-5, "begin_norm_axis": 1},
    lod="X",
)
op("lp_normalize", "X:float/1-", "Out", same_as("X"), attrs={"axis": -1, "porder": number(2, 1, 2)}, lod="X")
