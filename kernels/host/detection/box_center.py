"""Boxes (x1, y1, x2, y2) as centre and size and back; `offset` 1 where their ends are pixels inside."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array


def to_center(boxes: Array, offset: float) -> tuple[Array, Array]:
    """Centres and sizes, each [..., 2], of boxes [..., 4]."""
    size = boxes[..., 2:] - boxes[..., :2]
    if offset:
        size += boxes.dtype.type(offset)
    return boxes[..., :2] + size * boxes.dtype.type(0.5), size


def to_corners(center: Array, size: Array, offset: float) -> Array:
    """The boxes [..., 4] of centres and sizes [..., 2]."""
    half = size * size.dtype.type(0.5)
    boxes = np.concatenate((center - half, center + half), axis=-1)
    if offset:
        boxes[..., 2:] -= boxes.dtype.type(offset)
    return boxes


def decode(deltas: Array, center: Array, size: Array, offset: float, highest: float | None = None) -> Array:
    """Boxes whose centre is moved by deltas[..., :2] sizes and whose size is scaled by exp(deltas[..., 2:]).

    `highest` limits the exponents.  Their exp is rounded once, from double precision: large boxes would
    show any further error as pixels.
    """
    growth = deltas[..., 2:]
    if highest is not None:
        growth = np.minimum(growth, deltas.dtype.type(highest))
    return to_corners(
        deltas[..., :2] * size + center, np.exp(growth, dtype=np.float64).astype(deltas.dtype) * size, offset
    )
