"""generate_proposals and generate_proposals_v2: the best boxes from anchors and offsets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lite.ir.types import Lod
from lite.kernels.host.detection.box_center import decode, to_center
from lite.kernels.host.detection.nms import box_overlap, greedy_nms
from lite.kernels.host.sequence.lod import offsets_of
from lite.plugin.kernel import Array, kernel

_HIGHEST_GROWTH = math.log(1000 / 16)


@dataclass(frozen=True)
class Proposer:
    """The ops' attributes; `offset` is 1 where the ends of boxes are pixels inside."""

    pre_nms_top: int
    post_nms_top: int
    nms_threshold: float
    min_size: float
    eta: float
    offset: float

    def images(
        self, scores: Array, deltas: Array, sizes: Array, anchors: Array, variances: Array
    ) -> tuple[Array, Array, Array]:
        """Boxes [n, 4] and scores [n, 1], best first within an image, and their number per image.

        scores [N, A, H, W], deltas [N, 4 * A, H, W]; anchors and variances hold [H, W, A, 4]; sizes are
        (height, width) or (height, width, scale) per image.  An image without any gives one box of zeros.
        """
        flat = anchors.reshape(-1, 4), variances.reshape(-1, 4)
        found = []
        for score, delta, size in zip(scores, deltas, sizes, strict=True):
            ordered = delta.reshape(-1, 4, *delta.shape[1:]).transpose(2, 3, 0, 1).reshape(-1, 4)
            found.append(self._image(score.transpose(1, 2, 0).reshape(-1), ordered, size, *flat))
        boxes = np.concatenate([np.empty((0, 4), scores.dtype), *(part for part, _ in found)])
        values = np.concatenate([np.empty(0, scores.dtype), *(part for _, part in found)])
        return boxes, values[:, None], np.array([len(part) for _, part in found], np.int32)

    def _image(
        self, scores: Array, deltas: Array, size: Array, anchors: Array, variances: Array
    ) -> tuple[Array, Array]:
        order = np.argsort(-scores, kind="stable")
        if self.pre_nms_top > 0:
            order = order[: self.pre_nms_top]
        center = to_center(anchors[order], self.offset)
        boxes = decode(deltas[order] * variances[order], *center, self.offset, _HIGHEST_GROWTH)
        boxes = np.clip(boxes, 0, np.tile(size[1::-1], 2) - boxes.dtype.type(self.offset))
        keep = self._large_enough(boxes, size)
        boxes, scores = boxes[keep], scores[order][keep]
        if not len(boxes):
            return np.zeros((1, 4), boxes.dtype), np.zeros(1, scores.dtype)
        if self.nms_threshold > 0:
            overlap = box_overlap(boxes, normalized=not self.offset)
            chosen = greedy_nms(len(boxes), overlap, self.nms_threshold, self.eta)
            if self.post_nms_top > 0:
                chosen = chosen[: self.post_nms_top]
            boxes, scores = boxes[chosen], scores[chosen]
        return boxes, scores

    def _large_enough(self, boxes: Array, size: Array) -> Array:
        """Whether sides, before scaling, have `min_size` (at least 1) and the centre is in the image."""
        least = max(self.min_size, 1.0)
        extent = boxes[:, 2:] - boxes[:, :2]
        scale = size[2] if len(size) == 3 else 1
        large = extent / scale + self.offset >= least
        if self.offset:
            center = boxes[:, :2] + (extent + self.offset) / 2
            large &= center <= size[1::-1]
        kept: Array = np.all(large, axis=1)
        return kept


@kernel("generate_proposals")
def generate_proposals(
    Scores: Array,
    BboxDeltas: Array,
    ImInfo: Array,
    Anchors: Array,
    Variances: Array,
    *,
    pre_nms_topN: int,
    post_nms_topN: int,
    nms_thresh: float,
    min_size: float,
    eta: float,
    lods: Mapping[str, Sequence[Lod]],
) -> tuple[tuple[Array, Array, Array], dict[str, list[Lod]]]:
    """Paddle generate_proposals op; ImInfo is (height, width, scale) per image."""
    proposer = Proposer(pre_nms_topN, post_nms_topN, nms_thresh, min_size, eta, 1.0)
    found = proposer.images(Scores, BboxDeltas, ImInfo.reshape(-1, 3), Anchors, Variances)
    lod: Lod = (offsets_of(found[2]),)
    return found, {"RpnRois": [lod], "RpnRoiProbs": [lod], "RpnRoisNum": [()]}


@kernel("generate_proposals_v2")
def generate_proposals_v2(
    Scores: Array,
    BboxDeltas: Array,
    ImShape: Array,
    Anchors: Array,
    Variances: Array,
    *,
    pre_nms_topN: int,
    post_nms_topN: int,
    nms_thresh: float,
    min_size: float,
    eta: float,
    pixel_offset: bool,
) -> tuple[Array, Array, Array]:
    """Paddle generate_proposals_v2 op; ImShape is (height, width) per image."""
    proposer = Proposer(pre_nms_topN, post_nms_topN, nms_thresh, min_size, eta, float(pixel_offset))
    return proposer.images(Scores, BboxDeltas, ImShape, Anchors, Variances)
