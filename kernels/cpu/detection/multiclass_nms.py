"""multiclass_nms, multiclass_nms2 and multiclass_nms3 with a compiled search within each class."""

from __future__ import annotations

from lite.ir.types import DType
from lite.kernels.cpu.detection.box_search import search
from lite.kernels.host.detection.multiclass_nms import (
    MulticlassAttributes,
    detected,
    detected_with_index,
    detected_with_numbers,
)
from lite.kernels.host.sequence.lod import Lods
from lite.plugin.kernel import Array, kernel


@kernel("multiclass_nms", "cpu", dtype=DType.FLOAT32, attrs=MulticlassAttributes)
def multiclass_nms(
    BBoxes: Array, Scores: Array, *, attrs: MulticlassAttributes, lods: Lods
) -> tuple[Array, Lods]:
    """The host's kernel with a compiled search."""
    return detected(BBoxes, Scores, attrs, lods, search)


@kernel("multiclass_nms2", "cpu", dtype=DType.FLOAT32, attrs=MulticlassAttributes)
def multiclass_nms2(
    BBoxes: Array, Scores: Array, *, attrs: MulticlassAttributes, lods: Lods
) -> tuple[tuple[Array, Array], Lods]:
    """The host's kernel with a compiled search."""
    return detected_with_index(BBoxes, Scores, attrs, lods, search)


@kernel("multiclass_nms3", "cpu", dtype=DType.FLOAT32, attrs=MulticlassAttributes)
def multiclass_nms3(
    BBoxes: Array, Scores: Array, RoisNum: Array | None, *, attrs: MulticlassAttributes
) -> tuple[Array, Array, Array]:
    """The host's kernel with a compiled search."""
    return detected_with_numbers(BBoxes, Scores, RoisNum, attrs, search)
