"""What prior_box, density_prior_box and anchor_generator share: the same boxes at each cell of a map."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array


def centers(feature: Array, step_x: float, step_y: float, offset: float) -> Array:
    """(x, y) of the cells of a feature map [N, C, H, W], float64 [H, W, 1, 2]; `offset` is within a cell."""
    rows, columns = feature.shape[2:]
    grid = np.empty((rows, columns, 1, 2))
    grid[..., 0] = ((np.arange(columns) + offset) * step_x)[:, None]
    grid[..., 1] = ((np.arange(rows) + offset) * step_y)[:, None, None]
    return grid


def steps(feature: Array, image: Array, step_w: float, step_h: float) -> tuple[float, float]:
    """The given steps in pixels of the image or, where one is 0, image size over feature map size."""
    if step_w and step_h:
        return step_w, step_h
    return image.shape[3] / feature.shape[3], image.shape[2] / feature.shape[2]


def repeated(variances: list[float], boxes: Array) -> Array:
    """The four variances at each box."""
    return np.broadcast_to(np.array(variances, boxes.dtype), boxes.shape).copy()
