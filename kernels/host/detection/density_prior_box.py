"""density_prior_box on the host."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.detection.box_grid import centers, repeated, steps
from lite.plugin.kernel import Array, kernel


@kernel("density_prior_box")
def density_prior_box(
    Input: Array,
    Image: Array,
    *,
    fixed_sizes: list[float],
    fixed_ratios: list[float],
    densities: list[int],
    variances: list[float],
    clip: bool,
    flatten_to_2d: bool,
    step_w: float,
    step_h: float,
    offset: float,
) -> tuple[Array, Array]:
    """Paddle density_prior_box op: at each cell `density`² boxes of each size and ratio, within the image
    and relative to it; [H, W, priors, 4] or flat [H * W * priors, 4].
    """
    step_x, step_y = steps(Input, Image, step_w, step_h)
    average = int((step_x + step_y) * 0.5)
    shifts, halves = [np.empty((0, 2))], [np.empty((0, 2))]
    for size, density in zip(fixed_sizes, densities, strict=True):
        shift = average // density
        places = shift / 2 - average / 2 + shift * np.arange(density)
        y, x = np.meshgrid(places, places, indexing="ij")
        square = np.stack((x, y), axis=-1).reshape(-1, 2)
        for ratio in fixed_ratios:
            shifts.append(square)
            halves.append(np.tile([size * ratio**0.5 / 2, size / ratio**0.5 / 2], (density**2, 1)))
    center = centers(Input, step_x, step_y, offset) + np.concatenate(shifts)
    half = np.concatenate(halves)
    boxes = np.concatenate((center - half, center + half), axis=-1)
    boxes /= np.array([Image.shape[3], Image.shape[2]] * 2)
    np.maximum(boxes[..., :2], 0, out=boxes[..., :2])
    np.minimum(boxes[..., 2:], 1, out=boxes[..., 2:])
    if clip:
        np.clip(boxes, 0, 1, out=boxes)
    boxes = boxes.astype(Input.dtype)
    if flatten_to_2d:
        boxes = boxes.reshape(-1, 4)
    return boxes, repeated(variances, boxes)
