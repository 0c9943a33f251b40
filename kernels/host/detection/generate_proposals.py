"""generate_proposals and generate_proposals_v2: the best boxes from anchors and offsets."""

from __future__ import annotations

import math

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Lod
from lite.kernels.host.detection.box_center import decode, to_center
from lite.kernels.host.detection.nms import box_overlap, greedy_nms
from lite.kernels.host.sequence.lod import Lods, offsets_of
from lite.plugin.kernel import Array, kernel

_HIGHEST_GROWTH = math.log(1000 / 16)


@dataclass(frozen=True)
class _Attributes:
    pre_nms_topN: int  # noqa: N815 - Paddle's name
    post_nms_topN: int  # noqa: N815 - Paddle's name
    nms_thresh: float
    min_size: float
    eta: float


@dataclass(frozen=True)
class _AttributesV2(_Attributes):
    pixel_offset: bool


@kernel("generate_proposals", attrs=_Attributes)
def generate_proposals(
    Scores: Array,
    BboxDeltas: Array,
    ImInfo: Array,
    Anchors: Array,
    Variances: Array,
    *,
    attrs: _Attributes,
    lods: Lods,
) -> tuple[tuple[Array, Array, Array], Lods]:
    """Paddle generate_proposals: `_Proposer.images` with ImInfo (height, width, scale) per image.

    S. Ren et al., "Faster R-CNN", 2015.
    """
    proposer = _Proposer(attrs, 1.0)
    results = proposer.images(Scores, BboxDeltas, ImInfo.reshape(-1, 3), Anchors, Variances)
    lod: Lod = (offsets_of(results[2]),)
    return results, {"RpnRois": [lod], "RpnRoiProbs": [lod], "RpnRoisNum": [()]}


@kernel("generate_proposals_v2", attrs=_AttributesV2)
def generate_proposals_v2(
    Scores: Array,
    BboxDeltas: Array,
    ImShape: Array,
    Anchors: Array,
    Variances: Array,
    *,
    attrs: _AttributesV2,
) -> tuple[Array, Array, Array]:
    """Paddle generate_proposals_v2: `_Proposer.images` with ImShape (height, width) per image."""
    proposer = _Proposer(attrs, float(attrs.pixel_offset))
    return proposer.images(Scores, BboxDeltas, ImShape, Anchors, Variances)


@dataclass(frozen=True)
class _Proposer:
    """The attributes of an op; `offset` is 1 where the ends of boxes are pixels that belong to them."""

    attrs: _Attributes
    offset: float

    def images(
        self, scores: Array, deltas: Array, sizes: Array, anchors: Array, variances: Array
    ) -> tuple[Array, Array, Array]:
        """Boxes ``[n, 4]`` and scores ``[n, 1]``, best first within an image, and their number per image.

        `scores` is ``float[N, A, H, W]``, `deltas` ``[N, 4·A, H, W]``; `anchors` and `variances` hold
        ``[H, W, A, 4]``.  `sizes` are (height, width) or (height, width, scale) per image.  An image without
        boxes gives one box of zeros.
        """
        flat = anchors.reshape(-1, 4), variances.reshape(-1, 4)
        results = []
        for score, delta, size in zip(scores, deltas, sizes, strict=True):
            ordered = delta.reshape(-1, 4, *delta.shape[1:]).transpose(2, 3, 0, 1).reshape(-1, 4)
            results.append(self._image(score.transpose(1, 2, 0).reshape(-1), ordered, size, *flat))
        boxes = np.concatenate([np.empty((0, 4), scores.dtype), *(part for part, _ in results)])
        values = np.concatenate([np.empty(0, scores.dtype), *(part for _, part in results)])
        return boxes, values[:, None], np.array([len(part) for _, part in results], np.int32)

    def _image(
        self, scores: Array, deltas: Array, size: Array, anchors: Array, variances: Array
    ) -> tuple[Array, Array]:
        order = np.argsort(-scores, kind="stable")
        if self.attrs.pre_nms_topN > 0:
            order = order[: self.attrs.pre_nms_topN]
        center = to_center(anchors[order], self.offset)
        boxes = decode(deltas[order] * variances[order], *center, self.offset, _HIGHEST_GROWTH)
        boxes = np.clip(boxes, 0, np.tile(size[1::-1], 2) - boxes.dtype.type(self.offset))
        keep = self._large_enough(boxes, size)
        boxes, scores = boxes[keep], scores[order][keep]
        if not len(boxes):
            return np.zeros((1, 4), boxes.dtype), np.zeros(1, scores.dtype)
        if self.attrs.nms_thresh > 0:
            overlap = box_overlap(boxes, normalized=not self.offset)
            chosen = greedy_nms(len(boxes), overlap, self.attrs.nms_thresh, self.attrs.eta)
            if self.attrs.post_nms_topN > 0:
                chosen = chosen[: self.attrs.post_nms_topN]
            boxes, scores = boxes[chosen], scores[chosen]
        return boxes, scores

    def _large_enough(self, boxes: Array, size: Array) -> Array:
        """Whether the sides before scaling are at least `min_size` and 1, and the centre is in the image."""
        least = max(self.attrs.min_size, 1.0)
        extent = boxes[:, 2:] - boxes[:, :2]
        scale = size[2] if len(size) == 3 else 1
        large = extent / scale + self.offset >= least
        if self.offset:
            center = boxes[:, :2] + (extent + self.offset) / 2
            large &= center <= size[1::-1]
        kept: Array = np.all(large, axis=1)
        return kept
