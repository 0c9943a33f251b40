"""generate_proposals and generate_proposals_v2: the best boxes from anchors and offsets."""

from __future__ import annotations

from lite.kernels.host.detection.box_search import search
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.detection.generate_proposals import ProposalAttributes, ProposalAttributesV2, Proposer
from lite.plugin.kernel.lod import Lods


@kernel("generate_proposals", attrs=ProposalAttributes)
def generate_proposals(
    Scores: Array,
    BboxDeltas: Array,
    ImInfo: Array,
    Anchors: Array,
    Variances: Array,
    *,
    attrs: ProposalAttributes,
    lods: Lods,
) -> tuple[tuple[Array, Array, Array], Lods]:
    """Paddle generate_proposals: `Proposer.images` with ImInfo (height, width, scale) per image.

    S. Ren et al., "Faster R-CNN", 2015.
    """
    return Proposer(attrs, 1.0, search).with_lods(Scores, BboxDeltas, ImInfo, Anchors, Variances)


@kernel("generate_proposals_v2", attrs=ProposalAttributesV2)
def generate_proposals_v2(
    Scores: Array,
    BboxDeltas: Array,
    ImShape: Array,
    Anchors: Array,
    Variances: Array,
    *,
    attrs: ProposalAttributesV2,
) -> tuple[Array, Array, Array]:
    """Paddle generate_proposals_v2: `Proposer.images` with ImShape (height, width) per image."""
    proposer = Proposer(attrs, float(attrs.pixel_offset), search)
    return proposer.images(Scores, BboxDeltas, ImShape, Anchors, Variances)
