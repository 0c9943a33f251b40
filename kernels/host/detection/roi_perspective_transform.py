"""roi_perspective_transform by numpy."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array, kernel
from lite.plugin.kernel.lod import Lods, need_lod, starts_and_lengths

_NEAR = 1e-4
"""Coordinates within this distance, in pixels of the map, count as equal."""


@kernel("roi_perspective_transform")
def roi_perspective_transform(
    X: Array,
    ROIs: Array,
    *,
    spatial_scale: float,
    transformed_height: int,
    transformed_width: int,
    lods: Lods,
) -> tuple[tuple[Array, Array, Array], Lods]:
    """Paddle roi_perspective_transform: quadrangles of feature maps warped to rectangles.

    X is ``float[N, C, H, W]``; ``ROIs[n, 8]`` are four corners (x, y), clockwise from the top left, whose
    LoD assigns them to the N images; `spatial_scale` converts them to pixels of X.  Out is ``[n, C, height,
    width]``.  ``Mask int32[n, 1, height, width]`` is 1 for a position within its quadrangle and the map;
    elsewhere Out is 0.  ``TransformMatrix[n, 9]`` maps positions of Out to positions of X.  Raises
    `ExecutionError` if ROIs has no LoD.
    """
    level = need_lod("roi_perspective_transform", "ROIs", lods["ROIs"][0], len(ROIs))[-1]
    images = np.repeat(np.arange(len(level) - 1), starts_and_lengths(level)[1])
    shape = (transformed_height, transformed_width)
    out = np.zeros((len(ROIs), X.shape[1], *shape), X.dtype)
    mask = np.zeros((len(ROIs), 1, *shape), np.int32)
    matrices = np.zeros((len(ROIs), 9), X.dtype)
    rows, columns = np.indices(shape)
    target = np.stack((columns, rows, np.ones(shape)))
    for number, (image, roi) in enumerate(zip(images, ROIs, strict=True)):
        corners = roi.reshape(4, 2).astype(np.float64) * spatial_scale
        matrix = _matrix(corners, transformed_width, transformed_height)
        u, v, w = np.tensordot(matrix, target, 1)
        x, y = u / w, v / w
        height, width = X.shape[2:]
        within = (
            (x > -0.5 + _NEAR) & (x < width - 0.5 - _NEAR) & (y > -0.5 + _NEAR) & (y < height - 0.5 - _NEAR)
        )
        inside = within & _in_quadrangle(x, y, corners)
        mask[number, 0] = inside
        matrices[number] = matrix.reshape(-1)
        out[number][:, inside] = _sample(X[image], x[inside], y[inside])
    return (out, mask, matrices), {"Out": [()], "Mask": [()], "TransformMatrix": [()]}


def _matrix(corners: Array, width: int, height: int) -> Array:
    """The perspective transform ``[3, 3]`` from positions of the result to positions of the map.

    The quadrangle keeps its aspect ratio: it fills the height and at most the width.
    """
    p0, p1, p2, p3 = corners
    top, right, bottom, left = (np.hypot(*(b - a)) for a, b in ((p0, p1), (p1, p2), (p2, p3), (p3, p0)))
    tall = max(2, height)
    wide = int(np.floor((top + bottom) * (tall - 1) / (right + left) + 0.5)) + 1
    wide = max(2, min(wide, width))
    d1, d2, d3 = p1 - p2, p3 - p2, p0 - p1 + p2 - p3
    cross = d1[0] * d2[1] - d2[0] * d1[1] + 1e-5
    x_share = (d3[0] * d2[1] - d2[0] * d3[1]) / cross / (wide - 1)
    y_share = (d1[0] * d3[1] - d3[0] * d1[1]) / cross / (tall - 1)
    along = (p1 - p0) / (wide - 1) + x_share * p1
    down = (p3 - p0) / (tall - 1) + y_share * p3
    return np.array([[along[0], down[0], p0[0]], [along[1], down[1], p0[1]], [x_share, y_share, 1]])


def _in_quadrangle(x: Array, y: Array, corners: Array) -> Array:
    """Whether positions are on an edge, or left of an odd number of edges."""
    on_edge = np.zeros(x.shape, bool)
    odd = np.zeros(x.shape, bool)
    for (xs, ys), (xe, ye) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        low, high = min(ys, ye), max(ys, ye)
        if abs(ys - ye) < _NEAR:
            flat = np.abs(y - ys) < _NEAR
            on_edge |= flat & (x >= min(xs, xe) - _NEAR) & (x <= max(xs, xe) + _NEAR)
            continue
        at = (y - ys) * (xe - xs) / (ye - ys) + xs
        on_edge |= (np.abs(at - x) < _NEAR) & (y >= low - _NEAR) & (y <= high + _NEAR)
        odd ^= (y > low + _NEAR) & (y <= high + _NEAR) & (at - x > _NEAR)
    return on_edge | odd


def _sample(feature: Array, x: Array, y: Array) -> Array:
    """Bilinear samples ``[C, positions]`` of ``[C, H, W]`` at positions within it."""
    height, width = feature.shape[1:]
    x, y = np.clip(x, 0, width - 1), np.clip(y, 0, height - 1)
    left, top = x.astype(np.intp), y.astype(np.intp)
    right, bottom = np.minimum(left + 1, width - 1), np.minimum(top + 1, height - 1)
    across, down = (x - left).astype(feature.dtype), (y - top).astype(feature.dtype)
    upper = feature[:, top, left] * (1 - across) + feature[:, top, right] * across
    lower = feature[:, bottom, left] * (1 - across) + feature[:, bottom, right] * across
    result: Array = upper * (1 - down) + lower * down
    return result
