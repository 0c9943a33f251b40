"""Region proposals of a feature pyramid: distribute_fpn_proposals and collect_fpn_proposals."""

from __future__ import annotations

import numpy as np

from lite.ir.types import NO_LOD, Lod
from lite.kernels.host.detection.nms import box_area
from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.lod import (
    Lods,
    need_lod,
    numbers_of_rows,
    offsets_of,
    starts_and_lengths,
)


@kernel("distribute_fpn_proposals")
def distribute_fpn_proposals(
    FpnRois: Array,
    RoisNum: Array | None,
    *,
    min_level: int,
    max_level: int,
    refer_level: int,
    refer_scale: int,
    pixel_offset: bool,
    lods: Lods,
) -> tuple[tuple[list[Array], Array, list[Array]], Lods]:
    """Paddle distribute_fpn_proposals: assigns boxes ``[n, 4]`` to pyramid levels by their size.

    Boxes of size `refer_scale` belong to `refer_level`, boxes of twice the size to the next level.
    ``RestoreIndex int32[n, 1]`` is the position of each box in the concatenation of all levels.  T.-Y. Lin
    et al., "Feature Pyramid Networks", 2017.
    """
    counts = RoisNum
    if counts is None:
        lod = need_lod("distribute_fpn_proposals", "FpnRois", lods["FpnRois"][0], len(FpnRois))
        _, counts = starts_and_lengths(lod[-1])
    image = numbers_of_rows("distribute_fpn_proposals", counts, len(FpnRois))
    scale = np.sqrt(box_area(FpnRois, not pixel_offset))
    level = np.floor(np.log2(scale / refer_scale + 1e-6) + refer_level)
    level = np.clip(level, min_level, max_level).astype(np.intp)
    order = np.argsort(level, kind="stable")
    restore = np.empty((len(FpnRois), 1), np.int32)
    restore[order, 0] = np.arange(len(order))
    members = [np.flatnonzero(level == n) for n in range(min_level, max_level + 1)]
    numbers = [np.bincount(image[rows], minlength=len(counts)).astype(np.int32) for rows in members]
    out_lods: dict[str, list[Lod]] = {
        "MultiFpnRois": [(offsets_of(of_level),) for of_level in numbers],
        "RestoreIndex": [NO_LOD],
        "MultiLevelRoIsNum": [NO_LOD] * len(numbers),
    }
    return ([FpnRois[rows] for rows in members], restore, numbers), out_lods


@kernel("collect_fpn_proposals")
def collect_fpn_proposals(
    MultiLevelRois: list[Array],
    MultiLevelScores: list[Array],
    MultiLevelRoIsNum: list[Array] | None,
    *,
    post_nms_topN: int,
    lods: Lods,
) -> tuple[tuple[Array, Array], Lods]:
    """Paddle collect_fpn_proposals: the `post_nms_topN` best boxes of all pyramid levels, by image."""
    counts = MultiLevelRoIsNum or [
        starts_and_lengths(need_lod("collect_fpn_proposals", "MultiLevelRois", lod, len(rois))[-1])[1]
        for rois, lod in zip(MultiLevelRois, lods["MultiLevelRois"], strict=True)
    ]
    images = len(counts[0])
    image = np.concatenate(
        [
            numbers_of_rows("collect_fpn_proposals", of_level, len(rois))
            for of_level, rois in zip(counts, MultiLevelRois, strict=True)
        ]
    )
    rois = np.concatenate(MultiLevelRois)
    scores = np.concatenate([part.reshape(-1) for part in MultiLevelScores])
    best = np.argsort(-scores, kind="stable")[:post_nms_topN]
    best = best[np.argsort(image[best], kind="stable")]
    numbers = np.bincount(image[best], minlength=images).astype(np.int32)
    return (rois[best], numbers), {"FpnRois": [(offsets_of(numbers),)], "RoisNum": [()]}
