"""generate_proposals and generate_proposals_v2 with a compiled search among the boxes."""

from __future__ import annotations

from lite.ir.types import DType
from lite.kernels.cpu.detection.box_search import search
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.detection.generate_proposals import ProposalAttributes, ProposalAttributesV2, Proposer
from lite.plugin.kernel.lod import Lods


@kernel("generate_proposals", "cpu", dtype=DType.FLOAT32, attrs=ProposalAttributes)
def generate_proposals(
    Scores: Array, BboxDeltas: Array, ImInfo: Array, Anchors: Array, Variances: Array, *,
    attrs: ProposalAttributes, lods: Lods,
) -> tuple[tuple[Array, Array, Array], Lods]:  # fmt: skip
    """The host's kernel with a compiled search."""
    return Proposer(attrs, 1.0, search).with_lods(Scores, BboxDeltas, ImInfo, Anchors, Variances)


@kernel("generate_proposals_v2", "cpu", dtype=DType.FLOAT32, attrs=ProposalAttributesV2)
def generate_proposals_v2(
    Scores: Array, BboxDeltas: Array, ImShape: Array, Anchors: Array, Variances: Array, *,
    attrs: ProposalAttributesV2,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """The host's kernel with a compiled search."""
    proposer = Proposer(attrs, float(attrs.pixel_offset), search)
    return proposer.images(Scores, BboxDeltas, ImShape, Anchors, Variances)
