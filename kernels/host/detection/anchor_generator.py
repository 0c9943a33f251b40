"""anchor_generator on the host."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.detection.box_grid import centers, repeated
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
    cell = np.array(stride, Input.dtype)
    ratio = np.array(aspect_ratios, Input.dtype)
    base = np.floor(np.sqrt(cell.prod() / ratio) + Input.dtype.type(0.5))
    bases = np.stack((base, np.floor(base * ratio + Input.dtype.type(0.5))), axis=-1)
    scale = np.array(anchor_sizes, Input.dtype)[:, None] / cell
    half = ((scale * bases[:, None]).reshape(-1, 2) - 1) / 2
    first = Input.dtype.type(offset) * (cell - 1)
    center = centers(Input, stride[0], stride[1], 0).astype(Input.dtype) + first
    anchors = np.concatenate((center - half, center + half), axis=-1)
    return anchors, repeated(variances, anchors)
