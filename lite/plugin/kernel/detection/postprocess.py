"""The results of TFLite_Detection_PostProcess, from a search of boxes."""

from __future__ import annotations

import math

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.plugin.kernel.detection.selection import Search, Selection

Detections = tuple[Array, Array, Array, Array]


@dataclass(frozen=True)
class PostprocessAttributes:
    """The attributes of detection_postprocess."""

    max_detections: int
    max_classes_per_detection: int
    detections_per_class: int
    use_regular_nms: bool
    nms_score_threshold: float
    nms_iou_threshold: float
    num_classes: int
    y_scale: float
    x_scale: float
    h_scale: float
    w_scale: float

    def selection(self, limit: int) -> Selection:
        """The boxes of a class, at most `limit`; their scores may equal the threshold."""
        least = np.nextafter(np.float32(self.nms_score_threshold), np.float32(-math.inf))
        return Selection(least=float(least), threshold=self.nms_iou_threshold, limit=limit)


def detections(
    offsets: Array, scores: Array, anchors: Array, attrs: PostprocessAttributes, find: Search
) -> Detections:
    """The results of detection_postprocess."""
    boxes = _decoded(offsets[:, :4], anchors, attrs)
    classes = scores[:, scores.shape[1] - attrs.num_classes :]
    per_box = attrs.max_classes_per_detection
    if attrs.use_regular_nms:
        labels, places = find(boxes[None], classes.T, attrs.selection(attrs.detections_per_class))
        best = np.argsort(-classes[places, labels], kind="stable")[: attrs.max_detections]
        places, labels, slots = places[best], labels[best], np.arange(len(best))
        count = len(best)
    else:
        best_scores = classes.max(axis=1)[None]
        chosen = find(boxes[None], best_scores, attrs.selection(attrs.max_detections))[1]
        count, most = len(chosen), min(per_box, attrs.num_classes)
        labels = np.argsort(-classes[chosen], axis=1, kind="stable")[:, :most].reshape(-1)
        places = chosen.repeat(most)
        slots = (np.arange(count)[:, None] * per_box + np.arange(most)).reshape(-1)
    size = attrs.max_detections * per_box
    out, kept_labels = np.zeros((1, size, 4), np.float32), np.zeros((1, size), np.float32)
    kept_scores = np.zeros((1, size), np.float32)
    out[0, slots], kept_labels[0, slots] = boxes[places], labels
    kept_scores[0, slots] = classes[places, labels]
    return out, kept_labels, kept_scores, np.array([count], np.float32)


def _decoded(offsets: Array, anchors: Array, attrs: PostprocessAttributes) -> Array:
    """Boxes (y1, x1, y2, x2) ``float32[n, 4]``, computed in double precision like TensorFlow Lite's."""
    offset, anchor = offsets.astype(np.float64), anchors.astype(np.float64)
    center = offset[:, :2] / (attrs.y_scale, attrs.x_scale) * anchor[:, 2:] + anchor[:, :2]
    half = np.exp(offset[:, 2:] / (attrs.h_scale, attrs.w_scale)) * anchor[:, 2:] / 2
    center, half = center.astype(np.float32), half.astype(np.float32)
    return np.concatenate((center - half, center + half), axis=1)
