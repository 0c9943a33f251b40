"""prior_box on the host."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.detection.box_grid import centers, repeated, steps
from lite.ops.prior_ratios import expanded_ratios
from lite.plugin.kernel import Array, kernel


@kernel("prior_box")
def prior_box(
    Input: Array,
    Image: Array,
    *,
    min_sizes: list[float],
    max_sizes: list[float],
    aspect_ratios: list[float],
    variances: list[float],
    flip: bool,
    clip: bool,
    min_max_aspect_ratios_order: bool,
    step_w: float,
    step_h: float,
    offset: float,
) -> tuple[Array, Array]:
    """Paddle prior_box op: SSD's default boxes, relative to the image; [H, W, priors, 4]."""
    ratios = expanded_ratios(aspect_ratios, flip)
    halves: list[tuple[float, float]] = []
    for number, size in enumerate(min_sizes):
        by_ratio = [(size * ratio**0.5 / 2, size / ratio**0.5 / 2) for ratio in ratios]
        largest = [((size * most) ** 0.5 / 2,) * 2 for most in max_sizes[number : number + 1]]
        if min_max_aspect_ratios_order:
            halves += [by_ratio[0], *largest, *by_ratio[1:]]
        else:
            halves += [*by_ratio, *largest]
    center = centers(Input, *steps(Input, Image, step_w, step_h), offset)
    half = np.array(halves).reshape(-1, 2)
    boxes = np.concatenate((center - half, center + half), axis=-1)
    boxes /= np.array([Image.shape[3], Image.shape[2]] * 2)
    if clip:
        np.clip(boxes, 0, 1, out=boxes)
    boxes = boxes.astype(Input.dtype)
    return boxes, repeated(variances, boxes)
