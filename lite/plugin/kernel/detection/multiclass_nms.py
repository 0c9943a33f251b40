"""The results of Paddle's multiclass_nms, multiclass_nms2 and multiclass_nms3, from a search of boxes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array, Lod
from lite.plugin.kernel.detection.selection import Search, Selection
from lite.plugin.kernel.lod import Lods, need_lod, offsets_of


@dataclass(frozen=True)
class MulticlassAttributes:
    """The attributes of all three ops."""

    background_label: int
    score_threshold: float
    nms_top_k: int
    nms_threshold: float
    nms_eta: float
    keep_top_k: int
    normalized: bool

    def selection(self) -> Selection:
        """The choice of boxes of a class that they describe."""
        return Selection(
            least=self.score_threshold,
            threshold=self.nms_threshold,
            eta=self.nms_eta,
            candidates=self.nms_top_k,
            normalized=self.normalized,
            background=self.background_label,
        )


def detected(
    boxes: Array, scores: Array, attrs: MulticlassAttributes, lods: Lods, find: Search
) -> tuple[Array, Lods]:
    """The result of multiclass_nms."""
    out, _, counts = _detect(boxes, scores, _images(scores, lods), attrs, find)
    if not len(out):
        return np.full((1, 1), -1, boxes.dtype), {"Out": [((0, 1),)]}
    return out, {"Out": [(offsets_of(counts),)]}


def detected_with_index(
    boxes: Array, scores: Array, attrs: MulticlassAttributes, lods: Lods, find: Search
) -> tuple[tuple[Array, Array], Lods]:
    """The results of multiclass_nms2."""
    out, index, counts = _detect(boxes, scores, _images(scores, lods), attrs, find)
    lod: Lod = (offsets_of(counts),)
    return (out, index), {"Out": [lod], "Index": [lod]}


def detected_with_numbers(
    boxes: Array, scores: Array, numbers: Array | None, attrs: MulticlassAttributes, find: Search
) -> tuple[Array, Array, Array]:
    """The results of multiclass_nms3; `numbers` are those of the boxes of each image."""
    counts = [len(scores)] if numbers is None else numbers.tolist()
    images = range(len(scores) + 1) if scores.ndim == 3 else offsets_of(counts)
    out, index, rows_per_image = _detect(boxes, scores, images, attrs, find)
    return out, index, np.array(rows_per_image, np.int32)


def _images(scores: Array, lods: Lods) -> Sequence[int]:
    """The offsets of images on axis 0: one entry each, or cut by LoD where that axis counts boxes."""
    if scores.ndim == 3:
        return range(len(scores) + 1)
    return need_lod("multiclass_nms", "Scores", lods["Scores"][0], len(scores))[0]


def _detect(
    boxes: Array, scores: Array, images: Sequence[int], attrs: MulticlassAttributes, find: Search
) -> tuple[Array, Array, list[int]]:
    """Rows of all images, indices ``int32[rows, 1]`` into all boxes, and the number of rows per image.

    Boxes ``float[N, M, 4]`` are shared by all classes of scores ``[N, C, M]``; with scores ``[M, C]`` boxes
    are ``[M, C, 4]``.  Boxes of more than four coordinates are polygons.
    """
    rows = [np.empty((0, boxes.shape[2] + 2), boxes.dtype)]
    indices = [np.empty(0, np.int32)]
    shared = scores.ndim == 3
    for start, end in pairwise(images):
        by_class = scores[start] if shared else scores[start:end].T
        here = boxes[start:end] if shared else boxes[start:end].transpose(1, 0, 2)
        labels, places = find(here, by_class, attrs.selection())
        labels, places = _best(labels, places, by_class, attrs.keep_top_k, shared)
        coordinates = here[0 if shared else labels, places]
        rows.append(np.column_stack((labels, by_class[labels, places], coordinates)))
        first = start * (scores.shape[2] if shared else scores.shape[1])
        indices.append(first + (places if shared else places * len(by_class) + labels))
    out = np.concatenate(rows).astype(boxes.dtype)
    return out, np.concatenate(indices).astype(np.int32)[:, None], [len(part) for part in rows[1:]]


def _best(labels: Array, places: Array, scores: Array, most: int, by_score: bool) -> tuple[Array, Array]:
    """At most `most` (-1: all) of the boxes with the best scores, by label and score, or label and number."""
    if not by_score:
        order = np.lexsort((places, labels))
        labels, places = labels[order], places[order]
    if -1 < most < len(labels):
        order = np.sort(np.argsort(-scores[labels, places], kind="stable")[:most])
        labels, places = labels[order], places[order]
    return labels, places
