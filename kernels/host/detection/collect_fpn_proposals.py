"""collect_fpn_proposals on the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.types import Lod
from lite.kernels.host.sequence.lod import need_lod, offsets_of, starts_and_lengths
from lite.plugin.kernel import Array, kernel


@kernel("collect_fpn_proposals")
def collect_fpn_proposals(
    MultiLevelRois: list[Array],
    MultiLevelScores: list[Array],
    MultiLevelRoIsNum: list[Array] | None,
    *,
    post_nms_topN: int,
    lods: Mapping[str, Sequence[Lod]],
) -> tuple[tuple[Array, Array], dict[str, list[Lod]]]:
    """Paddle collect_fpn_proposals op: the best boxes of all pyramid levels together, by image."""
    counts = MultiLevelRoIsNum or [
        starts_and_lengths(need_lod("collect_fpn_proposals", "MultiLevelRois", lod)[-1])[1]
        for lod in lods["MultiLevelRois"]
    ]
    images = len(counts[0])
    image = np.concatenate([np.repeat(np.arange(images), of_level) for of_level in counts])
    rois, scores = (
        np.concatenate(MultiLevelRois),
        np.concatenate([part.reshape(-1) for part in MultiLevelScores]),
    )
    best = np.argsort(-scores, kind="stable")[:post_nms_topN]
    best = best[np.argsort(image[best], kind="stable")]
    numbers = np.bincount(image[best], minlength=images).astype(np.int32)
    return (rois[best], numbers), {"FpnRois": [(offsets_of(numbers),)], "RoisNum": [()]}
