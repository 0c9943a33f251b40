"""Greedy non-maximum suppression (A. Neubeck and L. Van Gool 2006)."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.entry import entry
from lite.kernels.cpu.compiled.jit import inner


@inner
def _sides(boxes: Any, place: int, axis: int, centred: int) -> Any:
    """The two ends of a box along an axis, the lower one first, in double precision."""
    first, second = np.float64(boxes[4 * place + axis]), np.float64(boxes[4 * place + 2 + axis])
    if centred:
        return first - second / 2, first + second / 2
    return min(first, second), max(first, second)


@inner
def _shared(boxes: Any, a: int, b: int, axis: int, centred: int) -> Any:
    """The length that two boxes share along an axis."""
    low_a, high_a = _sides(boxes, a, axis, centred)
    low_b, high_b = _sides(boxes, b, axis, centred)
    length = min(high_a, high_b) - max(low_a, low_b)
    return length if length > 0.0 else 0.0


@inner
def _area(boxes: Any, place: int, centred: int) -> Any:
    low_y, high_y = _sides(boxes, place, 0, centred)
    low_x, high_x = _sides(boxes, place, 1, centred)
    return (high_y - low_y) * (high_x - low_x)


@entry("r", "n", "n", "m", "m", "f", "i", "i", "i", "i")
def keep_boxes(
    boxes: Any, order: Any, starts: Any, kept: Any, counts: Any, threshold: float, limit: int, classes: int,
    per_image: int, centred: int, begin: int, end: int,
) -> None:  # fmt: skip
    """For pairs (image, class) `begin` to `end`: the candidates that overlap no better one too much.

    `boxes` are ``[images, per_image, 4]``.  The candidates of pair p, best first, are ``order[starts[p]]`` to
    ``order[starts[p + 1] - 1]``.  `kept` is ``[pairs, limit]``, of which the first ``counts[p]`` are written.
    """
    most = np.float64(threshold)
    for pair in range(begin, end):
        origin, count = pair // classes * per_image, 0
        for n in range(starts[pair], starts[pair + 1]):
            if count == limit:
                break
            candidate = origin + order[n]
            area = _area(boxes, candidate, centred)
            is_kept = True
            for k in range(count):
                other = origin + kept[pair * limit + k]
                shared = _shared(boxes, candidate, other, 0, centred) * _shared(
                    boxes, candidate, other, 1, centred
                )
                if shared > most * (area + _area(boxes, other, centred) - shared):
                    is_kept = False
                    break
            if is_kept:
                kept[pair * limit + count] = order[n]
                count += 1
        counts[pair] = count
