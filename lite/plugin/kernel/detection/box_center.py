"""Boxes (x1, y1, x2, y2) as centre and size and back.

`offset` is 1 where the ends of a box are pixels that belong to it, else 0.
"""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array


def to_center(boxes: Array, offset: float) -> tuple[Array, Array]:
    """Centres and sizes, each ``[…, 2]``, of boxes ``[…, 4]``."""
    size = boxes[..., 2:] - boxes[..., :2]
    if offset:
        size += boxes.dtype.type(offset)
    return boxes[..., :2] + size * boxes.dtype.type(0.5), size


def to_corners(center: Array, size: Array, offset: float) -> Array:
    """The boxes ``[…, 4]`` of centres and sizes ``[…, 2]``."""
    half = size * size.dtype.type(0.5)
    boxes = np.concatenate((center - half, center + half), axis=-1)
    if offset:
        boxes[..., 2:] -= boxes.dtype.type(offset)
    return boxes


def decode(deltas: Array, center: Array, size: Array, offset: float, highest: float | None = None) -> Array:
    """Boxes whose centre is moved by deltas[..., :2] sizes and whose size is scaled by exp(deltas[..., 2:]).

    `highest` limits the exponents.  exp is computed in float64, because an error of one unit in the last
    place of float32 is visible in large boxes.
    """
    growth = deltas[..., 2:]
    if highest is not None:
        growth = np.minimum(growth, deltas.dtype.type(highest))
    return to_corners(
        deltas[..., :2] * size + center, np.exp(growth, dtype=np.float64).astype(deltas.dtype) * size, offset
    )
