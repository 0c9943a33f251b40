"""The results of Paddle's generate_proposals and generate_proposals_v2, from a search of boxes."""

from __future__ import annotations

import math

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array, Lod
from lite.plugin.kernel.detection.box_center import decode, to_center
from lite.plugin.kernel.detection.selection import Search, Selection
from lite.plugin.kernel.lod import Lods, offsets_of

_HIGHEST_GROWTH = math.log(1000 / 16)


@dataclass(frozen=True)
class ProposalAttributes:
    """The attributes of generate_proposals."""

    pre_nms_topN: int  # noqa: N815 - Paddle's name
    post_nms_topN: int  # noqa: N815 - Paddle's name
    nms_thresh: float
    min_size: float
    eta: float


@dataclass(frozen=True)
class ProposalAttributesV2(ProposalAttributes):
    """The attributes of generate_proposals_v2."""

    pixel_offset: bool


@dataclass(frozen=True)
class Proposer:
    """The attributes of an op; `offset` is 1 where the ends of boxes are pixels that belong to them."""

    attrs: ProposalAttributes
    offset: float
    find: Search

    def with_lods(
        self, scores: Array, deltas: Array, infos: Array, anchors: Array, variances: Array
    ) -> tuple[tuple[Array, Array, Array], Lods]:
        """The results of generate_proposals, whose boxes are cut into images by their LoDs."""
        results = self.images(scores, deltas, infos.reshape(-1, 3), anchors, variances)
        lod: Lod = (offsets_of(results[2]),)
        return results, {"RpnRois": [lod], "RpnRoiProbs": [lod], "RpnRoisNum": [()]}

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
            # The boxes are in order already, also those without a number as score.
            ranks = -np.arange(len(boxes), dtype=np.float32)
            _, chosen = self.find(boxes[None], ranks[None], self._selection())
            boxes, scores = boxes[chosen], scores[chosen]
        return boxes, scores

    def _selection(self) -> Selection:
        return Selection(
            least=-math.inf,
            threshold=self.attrs.nms_thresh,
            eta=self.attrs.eta,
            limit=self.attrs.post_nms_topN if self.attrs.post_nms_topN > 0 else -1,
            normalized=not self.offset,
        )

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
