"""generate_proposals and generate_proposals_v2 on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.ir.types import Lod
from lite.kernels.host.detection.proposals import Proposer
from lite.kernels.host.sequence.lod import offsets_of
from lite.plugin.kernel import Array, kernel


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
