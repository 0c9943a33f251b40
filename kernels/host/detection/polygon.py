"""Overlap of polygons that may be concave or cross themselves (by the even-odd rule)."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array

_ELEMENTS_AT_ONCE = 1 << 20


def polygon_iou(one: Array, others: Array) -> Array:
    """Intersection over union of a polygon ``[P, 2]`` with each of ``[M, P, 2]``: ``[M]``, 0 for empty ones.

    The union is computed from the signed areas, as in Paddle for boxes of several points.  Unlike in Paddle,
    holes of the intersection, which only polygons that cross themselves can have, are not counted.
    """
    first, second = one.astype(np.float64), others.astype(np.float64)
    result = np.zeros(len(second))
    low = np.maximum(first.min(axis=0), second.min(axis=1))
    high = np.minimum(first.max(axis=0), second.max(axis=1))
    near = np.flatnonzero((low < high).all(axis=-1))
    points = len(first)
    edges = 2 * points
    step = max(1, _ELEMENTS_AT_ONCE // (edges * edges * edges // 2))
    for start in range(0, len(near), step):
        part = near[start : start + step]
        result[part] = _intersection(first, second[part])
    areas = _area(second)
    union = _area(first) + areas - result
    meets = (result != 0) & (areas != 0) & (_area(first) != 0)
    return np.divide(result, union, out=np.zeros_like(result), where=meets).astype(one.dtype)


def _area(polygons: Array) -> Array:
    x, y = polygons[..., 0], polygons[..., 1]
    crossed = x * np.roll(y, -1, axis=-1) - y * np.roll(x, -1, axis=-1)
    area: Array = np.abs(crossed.sum(axis=-1)) / 2
    return area


def _intersection(first: Array, second: Array) -> Array:
    """Areas of the intersections of ``[P, 2]`` with each of ``[M, P, 2]``.

    Between neighbouring heights of corners and crossings no edges cross.  The intersection within such a
    slab consists of trapezoids, whose area is their width at half height times the height.
    """
    both = np.stack((np.broadcast_to(first, second.shape), second), axis=1)
    starts = both.reshape(len(second), -1, 2)
    ends = np.roll(both, -1, axis=2).reshape(len(second), -1, 2)
    heights = np.sort(np.concatenate((starts[..., 1], _crossings(starts, ends)), axis=1), axis=1)
    thickness, middle = np.diff(heights, axis=1), (heights[:, 1:] + heights[:, :-1]) / 2
    x0, y0, x1, y1 = (part[:, None] for part in (*np.moveaxis(starts, 2, 0), *np.moveaxis(ends, 2, 0)))
    middle = middle[..., None]
    spans = (np.minimum(y0, y1) < middle) & (middle < np.maximum(y0, y1))
    rise = np.where(spans, y1 - y0, 1)
    x = np.where(spans, x0 + (middle - y0) * (x1 - x0) / rise, np.inf)
    order = np.argsort(x, axis=2)
    spans = np.take_along_axis(spans, order, axis=2)
    x = np.where(spans, np.take_along_axis(x, order, axis=2), 0)
    of_first = order < len(first)
    inside = np.cumsum(spans & of_first, axis=2) % 2 * (np.cumsum(spans & ~of_first, axis=2) % 2)
    widths: Array = (np.diff(x, axis=2) * inside[..., :-1]).sum(axis=2)
    area: Array = (widths * thickness).sum(axis=1)
    return area


def _crossings(starts: Array, ends: Array) -> Array:
    """The heights ``[M, pairs]`` at which pairs of edges ``[M, E]`` cross; a corner's where they do not."""
    a, b = np.triu_indices(starts.shape[1], 1)
    along, across = ends[:, a] - starts[:, a], ends[:, b] - starts[:, b]
    between = starts[:, b] - starts[:, a]
    cross = along[..., 0] * across[..., 1] - along[..., 1] * across[..., 0]
    parallel = cross == 0
    cross = np.where(parallel, 1, cross)
    t = (between[..., 0] * across[..., 1] - between[..., 1] * across[..., 0]) / cross
    u = (between[..., 0] * along[..., 1] - between[..., 1] * along[..., 0]) / cross
    crossing = ~parallel & (t > 0) & (t < 1) & (u > 0) & (u < 1)
    return np.where(crossing, starts[:, a, 1] + t * along[..., 1], starts[:, a, 1])
