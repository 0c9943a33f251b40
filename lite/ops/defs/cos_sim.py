"""Cosine similarity."""

from __future__ import annotations

from lite.ops.schema import op
from lite.ops.view import Meta, OpView


def _cos_sim(op: OpView) -> dict[str, Meta]:
    x, y = op["X"], op["Y"]
    rows, others = x.dims[0], y.dims[0]
    if isinstance(others, int) and isinstance(rows, int) and others not in (1, rows):
        raise op.error("Y", f"1 row or as many as X, {rows}", others)
    return {
        "Out": Meta(x.dtype, (rows, 1)),
        "XNorm": Meta(x.dtype, (rows, 1)),
        "YNorm": Meta(y.dtype, (others, 1)),
    }


op("cos_sim", "X:float/2- Y:float/2-", "Out XNorm? YNorm?", _cos_sim, lod="X")
