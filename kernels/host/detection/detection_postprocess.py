"""detection_postprocess by numpy."""

from __future__ import annotations

from lite.kernels.host.detection.box_search import search
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.detection.postprocess import Detections, PostprocessAttributes, detections


@kernel("detection_postprocess", attrs=PostprocessAttributes)
def detection_postprocess(
    Boxes: Array, Scores: Array, Anchors: Array, *, attrs: PostprocessAttributes
) -> Detections:
    """TFLite_Detection_PostProcess: boxes (y1, x1, y2, x2), classes, scores and the number of detections.

    ``Boxes[1, n, 4 or more]`` are offsets (y, x, height, width) from ``Anchors[n, 4]``; ``Scores[1, n, C]``
    are those of `num_classes` classes, after one of the background where C is one more.  The outputs are
    ``float32[1, m, 4]``, ``[1, m]``, ``[1, m]`` and ``[1]``, best first, and 0 where there is no detection;
    m is `max_detections` · `max_classes_per_detection`.  With `use_regular_nms` each class is searched, for
    at most `detections_per_class` boxes.  Otherwise boxes compete by the scores of their best classes, and
    the result has `max_classes_per_detection` classes of each.
    """
    return detections(Boxes[0], Scores[0], Anchors, attrs, search)
