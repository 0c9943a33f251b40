"""detection_postprocess with a compiled search among the boxes."""

from __future__ import annotations

from lite.ir.types import DType
from lite.kernels.cpu.detection.box_search import search
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.detection.postprocess import Detections, PostprocessAttributes, detections


@kernel("detection_postprocess", "cpu", dtype=DType.FLOAT32, attrs=PostprocessAttributes)
def detection_postprocess(
    Boxes: Array, Scores: Array, Anchors: Array, *, attrs: PostprocessAttributes
) -> Detections:
    """The host's kernel with a compiled search."""
    return detections(Boxes[0], Scores[0], Anchors, attrs, search)
