"""multiclass_nms, multiclass_nms2 and multiclass_nms3: non-maximum suppression for each class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Lod
from lite.kernels.host.detection.nms import Overlap, best_scores, box_overlap, greedy_nms
from lite.kernels.host.detection.polygon import polygon_iou
from lite.kernels.host.sequence.lod import Lods, need_lod, offsets_of
from lite.plugin.kernel import Array, kernel


@dataclass(frozen=True)
class _Attributes:
    """The attributes of all three ops."""

    background_label: int
    score_threshold: float
    nms_top_k: int
    nms_threshold: float
    nms_eta: float
    keep_top_k: int
    normalized: bool


@kernel("multiclass_nms", attrs=_Attributes)
def multiclass_nms(
    BBoxes: Array,
    Scores: Array,
    *,
    attrs: _Attributes,
    lods: Lods,
) -> tuple[Array, Lods]:
    """Paddle multiclass_nms: rows (label, score, box), cut into images by the LoD; [[-1]] instead of no rows.

    `_detect` describes the inputs of all three ops.
    """
    out, _, counts = _detect(BBoxes, Scores, _images(Scores, lods), attrs)
    if not len(out):
        return np.full((1, 1), -1, BBoxes.dtype), {"Out": [((0, 1),)]}
    return out, {"Out": [(offsets_of(counts),)]}


@kernel("multiclass_nms2", attrs=_Attributes)
def multiclass_nms2(
    BBoxes: Array,
    Scores: Array,
    *,
    attrs: _Attributes,
    lods: Lods,
) -> tuple[tuple[Array, Array], Lods]:
    """Paddle multiclass_nms2: like multiclass_nms, with the indices of the boxes; the output may be empty."""
    out, index, counts = _detect(BBoxes, Scores, _images(Scores, lods), attrs)
    lod: Lod = (offsets_of(counts),)
    return (out, index), {"Out": [lod], "Index": [lod]}


@kernel("multiclass_nms3", attrs=_Attributes)
def multiclass_nms3(
    BBoxes: Array,
    Scores: Array,
    RoisNum: Array | None,
    *,
    attrs: _Attributes,
) -> tuple[Array, Array, Array]:
    """Paddle multiclass_nms3: like multiclass_nms2, with numbers of rows ``int32[images]`` instead of LoD."""
    counts = [len(Scores)] if RoisNum is None else RoisNum.tolist()
    images = range(len(Scores) + 1) if Scores.ndim == 3 else offsets_of(counts)
    out, index, rows_per_image = _detect(BBoxes, Scores, images, attrs)
    return out, index, np.array(rows_per_image, np.int32)


def _images(scores: Array, lods: Lods) -> Sequence[int]:
    """The offsets of images on axis 0: one entry each, or cut by LoD where that axis counts boxes."""
    if scores.ndim == 3:
        return range(len(scores) + 1)
    return need_lod("multiclass_nms", "Scores", lods["Scores"][0], len(scores))[0]


def _detect(
    boxes: Array, scores: Array, images: Sequence[int], attrs: _Attributes
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
        if shared:
            here = np.broadcast_to(boxes[start], (len(by_class), *boxes.shape[1:]))
        else:
            here = boxes[start:end].transpose(1, 0, 2)
        labels, places = _image(here, by_class, attrs, shared)
        rows.append(np.column_stack((labels, by_class[labels, places], here[labels, places])))
        first = start * (scores.shape[2] if shared else scores.shape[1])
        indices.append(first + (places if shared else places * len(by_class) + labels))
    out = np.concatenate(rows).astype(boxes.dtype)
    return out, np.concatenate(indices).astype(np.int32)[:, None], [len(part) for part in rows[1:]]


def _image(boxes: Array, scores: Array, attrs: _Attributes, shared: bool) -> tuple[Array, Array]:
    """Labels and box numbers of an image's rows, by label; boxes are ``[C, M, 4]``, scores ``[C, M]``."""
    labels, places = [np.empty(0, np.intp)], [np.empty(0, np.intp)]
    for number, kept in _classes(boxes, scores, attrs, shared):
        labels.append(np.full(len(kept), number))
        places.append(kept if shared else np.sort(kept))
    label, place = np.concatenate(labels), np.concatenate(places)
    if -1 < attrs.keep_top_k < len(label):
        order = np.argsort(-scores[label, place], kind="stable")[: attrs.keep_top_k]
        label, place = label[order], place[order]
        order = np.argsort(label, kind="stable") if shared else np.lexsort((place, label))
        label, place = label[order], place[order]
    return label, place


def _classes(boxes: Array, scores: Array, attrs: _Attributes, shared: bool) -> Iterator[tuple[int, Array]]:
    """Each class but the background, with the boxes that suppression keeps, best first."""
    rows: dict[int, Array] = {}
    for label, of_class in enumerate(scores):
        if label == attrs.background_label:
            continue
        order = best_scores(of_class, attrs.score_threshold, attrs.nms_top_k)
        if boxes.shape[2] == 4:
            overlap = box_overlap(boxes[label][order], attrs.normalized)
        else:
            overlap = _polygon_overlap(boxes[label], order, rows if shared else {})
        chosen = greedy_nms(len(order), overlap, attrs.nms_threshold, attrs.nms_eta)
        yield label, order[chosen]


def _polygon_overlap(boxes: Array, order: Array, rows: dict[int, Array]) -> Overlap:
    """Overlaps of polygons (x, y, x, y, …), stored in `rows` for the other classes of the same boxes."""
    polygons = boxes.reshape(len(boxes), -1, 2)

    def row(index: int) -> Array:
        box = int(order[index])
        if box not in rows:
            rows[box] = polygon_iou(polygons[box], polygons)
        return rows[box][order]

    return row
