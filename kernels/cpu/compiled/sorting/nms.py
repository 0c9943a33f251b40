"""Greedy non-maximum suppression (A. Neubeck and L. Van Gool 2006)."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inlined, inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.sorting.heap import make_heap, take_best
from lite.kernels.cpu.lengths.detection import FIELDS


@inner
def _sides(boxes: Any, place: int, axis: int, centred: int) -> Any:
    """The two ends of a box along an axis, the lower one first, in double precision."""
    first, second = np.float64(boxes[4 * place + axis]), np.float64(boxes[4 * place + 2 + axis])
    if centred:
        return first - second / 2, first + second / 2
    return min(first, second), max(first, second)


@inlined
def _keep(
    boxes: Any, origin: int, number: int, sides: Any, base: int, count: int, most: float, centred: int
) -> bool:
    """Whether a box overlaps none of `count` kept boxes too much; if so, its sides are put after theirs."""
    low_y, high_y = _sides(boxes, origin + number, 0, centred)
    low_x, high_x = _sides(boxes, origin + number, 1, centred)
    area = (high_y - low_y) * (high_x - low_x)
    for place in range(base, base + count * FIELDS, FIELDS):
        tall = min(high_y, sides[place + 1]) - max(low_y, sides[place])
        wide = min(high_x, sides[place + 3]) - max(low_x, sides[place + 2])
        # No overlap is the usual case.
        if tall > 0.0 and wide > 0.0:
            shared = tall * wide
            if shared > most * (area + sides[place + 4] - shared):
                return False
        elif most < 0.0 and most * (area + sides[place + 4]) < 0.0:
            return False
    place = base + count * FIELDS
    sides[place], sides[place + 1], sides[place + 2], sides[place + 3] = low_y, high_y, low_x, high_x
    sides[place + 4] = area
    return True


@entry("r", "r", "m", "m", "m", "d", "f", "f", "i", "i", "i", "i", "i")
def choose_boxes(
    boxes: Any, scores: Any, heap: Any, kept: Any, counts: Any, sides: Any, threshold: float, least: float,
    with_all: int, limit: int, classes: int, per_image: int, centred: int, begin: int, end: int,
) -> None:  # fmt: skip
    """For pairs (image, class) `begin` to `end`: the boxes that overlap no better one too much, best first.

    `boxes` are ``[images, per_image, 4]``, `scores` ``[pairs, per_image]``; those above `least` count, or
    `with_all` all.  `kept` is ``[pairs, limit]``, of which the first ``counts[p]`` are written.  `heap` and
    `sides` are scratch memory, ``[pairs, per_image]`` and ``[pairs, limit, FIELDS]``: only as many boxes are
    sorted as are looked at.
    """
    most = np.float64(threshold)
    for pair in range(begin, end):
        origin, base, start = pair // classes * per_image, pair * limit * FIELDS, pair * per_image
        size, count = 0, 0
        for n in range(per_image):
            if scores[start + n] > least or with_all:
                heap[start + size] = n
                size += 1
        make_heap(scores, heap, start, size)
        while size and count < limit:
            best = take_best(scores, heap, start, size)
            size -= 1
            if _keep(boxes, origin, best, sides, base, count, most, centred):
                kept[pair * limit + count] = best
                count += 1
        counts[pair] = count
