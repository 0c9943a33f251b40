"""Non-maximum suppression that lowers scores (N. Bodla et al., "Soft-NMS", 2017)."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inlined
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import exp, largest, splat
from lite.kernels.cpu.compiled.sorting.heap import make_heap, put_back, take_best


@inlined
def _overlap(boxes: Any, a: int, b: int) -> Any:
    """Intersection over union of two boxes, each given by two opposite corners (y, x); 0 for empty ones."""
    tall = min(max(boxes[4 * a], boxes[4 * a + 2]), max(boxes[4 * b], boxes[4 * b + 2]))
    tall -= max(min(boxes[4 * a], boxes[4 * a + 2]), min(boxes[4 * b], boxes[4 * b + 2]))
    wide = min(max(boxes[4 * a + 1], boxes[4 * a + 3]), max(boxes[4 * b + 1], boxes[4 * b + 3]))
    wide -= max(min(boxes[4 * a + 1], boxes[4 * a + 3]), min(boxes[4 * b + 1], boxes[4 * b + 3]))
    zero = np.float32(0.0)
    if not (tall > zero and wide > zero):
        return zero
    first = abs(boxes[4 * a + 2] - boxes[4 * a]) * abs(boxes[4 * a + 3] - boxes[4 * a + 1])
    second = abs(boxes[4 * b + 2] - boxes[4 * b]) * abs(boxes[4 * b + 3] - boxes[4 * b + 1])
    return tall * wide / (first + second - tall * wide)


@entry("r", "w", "m", "m", "j", "w", "j", "f", "f", "f", "i", "i")
def choose_softly(
    boxes: Any, scores: Any, heap: Any, seen: Any, chosen: Any, kept: Any, total: Any, most: float,
    least: float, scale: float, limit: int, boxes_count: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Boxes by falling score, which a chosen one multiplies by ``exp(scale · overlap²)`` of both.

    `boxes` are ``[n, 4]``, `scores` ``[n]``, which are overwritten by the lowered ones.  A box whose overlap
    with a chosen one is at least `most`, or whose score is not above `least`, is dropped.  The chosen numbers
    and scores are ``[limit]``, and zeros follow.  `heap` and `seen` are scratch memory ``[n]``: `seen`
    counts the chosen boxes that have lowered a score.
    """
    size, found = 0, 0
    for n in range(boxes_count):
        if scores[n] > least:
            heap[size], seen[n] = n, 0
            size += 1
    make_heap(scores, heap, 0, size)
    while size and found < limit:
        best = heap[0]
        score, is_dropped = scores[best], False
        for place in range(found - 1, seen[best] - 1, -1):
            overlap = _overlap(boxes, best, chosen[place])
            if overlap >= most:
                is_dropped = True
                break
            if scale < np.float32(0.0) and overlap > np.float32(0.0):
                score *= largest(exp(splat(scale * overlap * overlap)))
        if not is_dropped and score != scores[best] and score > least:
            scores[best], seen[best] = score, found
            put_back(scores, heap, 0, size)
            continue
        take_best(scores, heap, 0, size)
        size -= 1
        if not is_dropped and score == scores[best]:
            chosen[found], kept[found] = best, score
            found += 1
    total[0] = found
    for place in range(found, limit):
        chosen[place], kept[place] = 0, 0.0
