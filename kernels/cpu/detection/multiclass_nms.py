"""multiclass_nms, multiclass_nms2 and multiclass_nms3 with a compiled search within each class.

The host searches polygons, which are boxes of more than four coordinates.
"""

from __future__ import annotations

from lite.ir.types import DType
from lite.kernels.cpu.detection.box_search import search
from lite.plugin.kernel import Array, host_kernel, kernel
from lite.plugin.kernel.detection.multiclass_nms import (
    MulticlassAttributes,
    detected,
    detected_with_index,
    detected_with_numbers,
)
from lite.plugin.kernel.lod import Lods


@kernel("multiclass_nms", "cpu", dtype=DType.FLOAT32, attrs=MulticlassAttributes)
def multiclass_nms(
    BBoxes: Array, Scores: Array, *, attrs: MulticlassAttributes, lods: Lods
) -> tuple[Array, Lods]:
    """The host's kernel with a compiled search."""
    if BBoxes.shape[2] == 4:
        return detected(BBoxes, Scores, attrs, lods, search)
    result: tuple[Array, Lods] = host_kernel("multiclass_nms").run(BBoxes, Scores, attrs=attrs, lods=lods)
    return result


@kernel("multiclass_nms2", "cpu", dtype=DType.FLOAT32, attrs=MulticlassAttributes)
def multiclass_nms2(
    BBoxes: Array, Scores: Array, *, attrs: MulticlassAttributes, lods: Lods
) -> tuple[tuple[Array, Array], Lods]:
    """The host's kernel with a compiled search."""
    if BBoxes.shape[2] == 4:
        return detected_with_index(BBoxes, Scores, attrs, lods, search)
    results: tuple[tuple[Array, Array], Lods]
    results = host_kernel("multiclass_nms2").run(BBoxes, Scores, attrs=attrs, lods=lods)
    return results


@kernel("multiclass_nms3", "cpu", dtype=DType.FLOAT32, attrs=MulticlassAttributes)
def multiclass_nms3(
    BBoxes: Array, Scores: Array, RoisNum: Array | None, *, attrs: MulticlassAttributes
) -> tuple[Array, Array, Array]:
    """The host's kernel with a compiled search."""
    if BBoxes.shape[2] == 4:
        return detected_with_numbers(BBoxes, Scores, RoisNum, attrs, search)
    results: tuple[Array, Array, Array]
    results = host_kernel("multiclass_nms3").run(BBoxes, Scores, RoisNum, attrs=attrs)
    return results
