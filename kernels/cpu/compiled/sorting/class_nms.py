"""Greedy and matrix non-maximum suppression within classes, as Paddle computes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inlined, inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import (
    absolute,
    larger,
    largest,
    load,
    smaller,
    splat,
    store,
    where_at_most,
    where_less,
    where_negative,
)
from lite.kernels.cpu.compiled.sorting.heap import make_heap, take_best
from lite.kernels.cpu.lengths.detection import DECAY_FIELDS, FIELDS
from lite.kernels.cpu.tile_sizes import LANES


@inner
def _candidates(scores: Any, heap: Any, start: int, per_class: int, least: float) -> int:
    """Make a heap of the boxes whose scores are above `least`, and return their number."""
    size = 0
    for n in range(per_class):
        if scores[start + n] > least:
            heap[start + size] = n
            size += 1
    make_heap(scores, heap, start, size)
    return size


@inlined
def _area(boxes: Any, box: int, offset: float) -> Any:
    """The area of a box (x1, y1, x2, y2); 0 for one that ends before it starts."""
    wide, tall = boxes[4 * box + 2] - boxes[4 * box], boxes[4 * box + 3] - boxes[4 * box + 1]
    if wide < 0 or tall < 0:
        return np.float32(0.0)
    return (wide + offset) * (tall + offset)


@inlined
def _put(boxes: Any, box: int, area: float, sides: Any, first: int, step: int, count: int) -> None:
    """Append a box to `count` ones; rows of x1, y1, x2, y2 and areas are `step` elements apart.

    Areas of -1 fill the last vector.
    """
    place = first + count
    if count % LANES == 0:
        store(splat(np.float32(-1.0)), sides, place + 4 * step)
        for row in range(4):
            store(splat(np.float32(0.0)), sides, place + row * step)
    for row in range(4):
        sides[place + row * step] = boxes[4 * box + row]
    sides[place + 4 * step] = area


@inlined
def _overlaps(boxes: Any, box: int, area: float, sides: Any, place: int, step: int, offset: float) -> Any:
    """Intersection over union of a box and the `LANES` put ones from `place` on; 0 in lanes without a box.

    As `kernels.host.detection.nms.iou_matrix`.
    """
    x1, y1, x2, y2 = (
        splat(boxes[4 * box]), splat(boxes[4 * box + 1]), splat(boxes[4 * box + 2]), splat(boxes[4 * box + 3])
    )  # fmt: skip
    left, top, right, bottom = (
        load(sides, place), load(sides, place + step), load(sides, place + 2 * step),
        load(sides, place + 3 * step),
    )  # fmt: skip
    areas, zero, more = load(sides, place + 4 * step), splat(np.float32(0.0)), splat(offset)
    wide = smaller(x2, right) - larger(x1, left) + more
    tall = smaller(y2, bottom) - larger(y1, top) + more
    shared = wide * tall
    shared = where_less(x2, left, zero, where_less(right, x1, zero, shared))
    shared = where_less(y2, top, zero, where_less(bottom, y1, zero, shared))
    union = areas + splat(area) - shared
    overlap = where_at_most(absolute(union), zero, shared, shared / union)
    return where_negative(areas, zero, overlap)


@inner
def _is_covered(
    boxes: Any, box: int, area: float, sides: Any, first: int, step: int, count: int, offset: float,
    most: float,
) -> bool:  # fmt: skip
    """Whether a box overlaps one of `count` put ones by more than `most`."""
    zero, one, limit = splat(np.float32(0.0)), splat(np.float32(1.0)), splat(most)
    for place in range(first, first + count, LANES):
        overlap = _overlaps(boxes, box, area, sides, place, step, offset)
        if largest(where_at_most(overlap, limit, zero, one)) > np.float32(0.0):
            return True
    return False


@entry("r", "r", "m", "m", "m", "w", "f", "f", "f", "f", "i", "i", "i", "i", "i")
def keep_boxes(
    boxes: Any, scores: Any, heap: Any, kept: Any, counts: Any, sides: Any, least: float, threshold: float,
    eta: float, offset: float, candidates: int, limit: int, background: int, per_class: int, shared: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """For classes `begin` to `end`: boxes that overlap no better one by more than a threshold, best first.

    `boxes` are ``[per_class, 4]`` where they are `shared`, else ``[classes, per_class, 4]``; `scores` are
    ``[classes, per_class]``.  The first `candidates` of those above `least` are looked at, until `limit` are
    kept.  Above 0.5 the threshold is multiplied by an `eta` below 1 with each kept box.  `kept` is
    ``[classes, limit]``, of which the first ``counts[c]`` are written.  Scratch memory: `heap`,
    ``[classes, per_class]``, and `sides`, ``[classes, FIELDS, limit + LANES]``.
    """
    step = limit + LANES
    for label in range(begin, end):
        counts[label] = 0
        if label == background:
            continue
        start, first, most, count = label * per_class, label * FIELDS * step, threshold, 0
        origin = 0 if shared else start
        size = _candidates(scores, heap, start, per_class, least)
        for taken in range(min(size, candidates)):
            if count == limit:
                break
            number = take_best(scores, heap, start, size - taken)
            box = origin + number
            area = _area(boxes, box, offset)
            if _is_covered(boxes, box, area, sides, first, step, count, offset, most):
                continue
            _put(boxes, box, area, sides, first, step, count)
            kept[label * limit + count] = number
            count += 1
            if eta < np.float32(1.0) and most > np.float32(0.5):
                most *= eta
        counts[label] = count


@entry("r", "r", "m", "m", "m", "w", "w", "f", "f", "f", "i", "i", "i", "i")
def decay(
    boxes: Any, scores: Any, heap: Any, order: Any, counts: Any, factors: Any, sides: Any, least: float,
    sigma: float, offset: float, candidates: int, background: int, per_class: int, is_gaussian: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """For classes `begin` to `end`: the best boxes, and how far their better ones decay their scores.

    `boxes` are ``[per_class, 4]``, `scores` ``[classes, per_class]``; the first `candidates` above `least`
    are written to `order`, ``[classes, candidates]``, and their number to `counts`.  `factors` are those of
    matrix NMS (X. Wang et al. 2020): the least of ``(1 − overlap) / (1 − covered)`` over the better boxes,
    which are covered themselves; with `is_gaussian` the least exponent of e, ``sigma · (covered² −
    overlap²)``.  `heap` and `sides` are scratch memory, ``[classes, per_class]`` and
    ``[classes, DECAY_FIELDS, candidates + LANES]``.
    """
    zero, one = splat(np.float32(0.0)), splat(np.float32(1.0))
    step = candidates + LANES
    for label in range(begin, end):
        counts[label] = 0
        if label == background:
            continue
        start, row, first = label * per_class, label * candidates, label * DECAY_FIELDS * step
        size = _candidates(scores, heap, start, per_class, least)
        counts[label] = min(size, candidates)
        for taken in range(min(size, candidates)):
            box = take_best(scores, heap, start, size - taken)
            area = _area(boxes, box, offset)
            covered, factor = zero, zero if is_gaussian else one
            for place in range(first, first + taken, LANES):
                overlap = _overlaps(boxes, box, area, sides, place, step, offset)
                other = load(sides, place + 5 * step)
                covered = larger(overlap, covered)
                if is_gaussian:
                    factor = smaller((other * other - overlap * overlap) * splat(sigma), factor)
                else:
                    ratio = where_less(other, one, (one - overlap) / (one - other), one)
                    factor = smaller(ratio, factor)
            _put(boxes, box, area, sides, first, step, taken)
            if taken % LANES == 0:
                store(zero, sides, first + taken + 5 * step)
            sides[first + taken + 5 * step] = largest(covered)
            order[row + taken], factors[row + taken] = box, -largest(zero - factor)
