"""multiclass_nms, multiclass_nms2 and multiclass_nms3: non-maximum suppression for each class."""

from __future__ import annotations

from lite.kernels.host.detection.box_search import search
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.detection.multiclass_nms import (
    MulticlassAttributes,
    detected,
    detected_with_index,
    detected_with_numbers,
)
from lite.plugin.kernel.lod import Lods


@kernel("multiclass_nms", attrs=MulticlassAttributes)
def multiclass_nms(
    BBoxes: Array, Scores: Array, *, attrs: MulticlassAttributes, lods: Lods
) -> tuple[Array, Lods]:
    """Paddle multiclass_nms: rows (label, score, box), cut into images by the LoD; [[-1]] instead of no rows.

    `_detect` describes the inputs of all three ops.
    """
    return detected(BBoxes, Scores, attrs, lods, search)


@kernel("multiclass_nms2", attrs=MulticlassAttributes)
def multiclass_nms2(
    BBoxes: Array, Scores: Array, *, attrs: MulticlassAttributes, lods: Lods
) -> tuple[tuple[Array, Array], Lods]:
    """Paddle multiclass_nms2: like multiclass_nms, with the indices of the boxes; the output may be empty."""
    return detected_with_index(BBoxes, Scores, attrs, lods, search)


@kernel("multiclass_nms3", attrs=MulticlassAttributes)
def multiclass_nms3(
    BBoxes: Array, Scores: Array, RoisNum: Array | None, *, attrs: MulticlassAttributes
) -> tuple[Array, Array, Array]:
    """Paddle multiclass_nms3: like multiclass_nms2, with numbers of rows ``int32[images]`` instead of LoD."""
    return detected_with_numbers(BBoxes, Scores, RoisNum, attrs, search)
