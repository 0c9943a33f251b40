"""Choosing boxes per class, after ONNX NonMaxSuppression."""

from __future__ import annotations

from lite.ir.types import UNKNOWN, DType
from lite.ops.schema import number, op
from lite.ops.view import Meta, OpView


def _selected(_: OpView) -> Meta:
    return Meta(DType.INT64, (UNKNOWN, 3))


op(
    "non_max_suppression",
    "Boxes:float/3 Scores:float/3 MaxOutputBoxesPerClass?:int IouThreshold?:float ScoreThreshold?:float",
    "Out",
    _selected,
    attrs={"center_point_box": number(0, 0, 1)},
)
