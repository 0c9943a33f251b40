"""Ensembles of decision trees."""

from __future__ import annotations

from lite.ir.types import UNKNOWN, DType
from lite.ops.attrs import choice, number
from lite.ops.schema import op
from lite.ops.view import Meta, OpView


def _ensemble(op: OpView) -> dict[str, Meta]:
    x, weights, roots = op["X"], op["Weights"], op["Roots"]
    for slot in ("Limits", "Weights"):
        if op[slot].dtype is not x.dtype:
            raise op.error(f"slot {slot}", str(x.dtype), op[slot])
    features, width = op["Features"].value, x.dims[1]
    if features is not None and features.size and isinstance(width, int) and features.max() >= width:
        raise op.error("slot Features", f"features from 0 to {width - 1}", features.max())
    rows = x.dims[0]
    columns = UNKNOWN if weights.shape is None else weights.dims[1]
    trees = UNKNOWN if roots.shape is None else roots.dims[0]
    return {"Out": Meta(x.dtype, (rows, columns)), "Leaves": Meta(DType.INT64, (rows, trees))}


op(
    "tree_ensemble",
    "Sums, or extremes, of the weights of the leaves that rows reach in trees, after ONNX TreeEnsemble.",
    "X:float32|float64/2 Features:int64/1 Limits/1 Successors:int64/2 Modes:int64/1 Roots:int64/1 Weights/2"
    " Members?/2",
    "Out Leaves?",
    _ensemble,
    attrs={"levels": number(1, 1), "aggregate": choice("SUM", "MIN", "MAX")},
)
