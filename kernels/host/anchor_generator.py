"""anchor_generator on the host."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.box_grid import centers, repeated
from lite.plugin.kernel import Array, kernel


@kernel("anchor_generator")
def anchor_generator(
    Input: Array,
    *,
    anchor_sizes: list[float],
    aspect_ratios: list[float],
    variances: list[float],
    stride: list[float],
    offset: float,
) -> tuple[Array, Array]:
    """Paddle anchor_generator op: boxes in pixels, for each ratio each size; [H, W, anchors, 4].

    A ratio turns the cell into a base of whole pixels, which the sizes scale.
    """
    width, height = stride
    halves: list[tuple[float, float]] = []
    for ratio in aspect_ratios:
        base = np.floor((width * height / ratio) ** 0.5 + 0.5)
        tall = np.floor(base * ratio + 0.5)
        halves += [((size / width * base - 1) / 2, (size / height * tall - 1) / 2) for size in anchor_sizes]
    center = centers(*Input.shape[2:], width, height, 0) + offset * (np.array(stride) - 1)
    half = np.array(halves).reshape(-1, 2)
    anchors = np.concatenate((center - half, center + half), axis=-1).astype(Input.dtype)
    return anchors, repeated(variances, anchors)
