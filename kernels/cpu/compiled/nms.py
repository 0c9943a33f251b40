"""Greedy non-maximum suppression (A. Neubeck and L. Van Gool 2006)."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.lengths.detection import FIELDS


@inner
def _sides(boxes: Any, place: int, axis: int, centred: int) -> Any:
    """The two ends of a box along an axis, the lower one first, in double precision."""
    first, second = np.float64(boxes[4 * place + axis]), np.float64(boxes[4 * place + 2 + axis])
    if centred:
        return first - second / 2, first + second / 2
    return min(first, second), max(first, second)


@entry("r", "n", "n", "m", "m", "d", "f", "i", "i", "i", "i")
def keep_boxes(
    boxes: Any, order: Any, starts: Any, kept: Any, counts: Any, sides: Any, threshold: float, limit: int,
    classes: int, per_image: int, centred: int, begin: int, end: int,
) -> None:  # fmt: skip
    """For pairs (image, class) `begin` to `end`: the candidates that overlap no better one too much.

    `boxes` are ``[images, per_image, 4]``.  The candidates of pair p, best first, are ``order[starts[p]]`` to
    ``order[starts[p + 1] - 1]``.  `kept` is ``[pairs, limit]``, of which the first ``counts[p]`` are written.
    `sides` is scratch memory, `FIELDS` numbers for each.
    """
    most = np.float64(threshold)
    for pair in range(begin, end):
        origin, base, count = pair // classes * per_image, pair * limit * FIELDS, 0
        for n in range(starts[pair], starts[pair + 1]):
            if count == limit:
                break
            low_y, high_y = _sides(boxes, origin + order[n], 0, centred)
            low_x, high_x = _sides(boxes, origin + order[n], 1, centred)
            area = (high_y - low_y) * (high_x - low_x)
            is_kept = True
            for place in range(base, base + count * FIELDS, FIELDS):
                tall = min(high_y, sides[place + 1]) - max(low_y, sides[place])
                wide = min(high_x, sides[place + 3]) - max(low_x, sides[place + 2])
                # No overlap is the usual case.
                if tall > 0.0 and wide > 0.0:
                    shared = tall * wide
                    if shared > most * (area + sides[place + 4] - shared):
                        is_kept = False
                        break
                elif most < 0.0 and most * (area + sides[place + 4]) < 0.0:
                    is_kept = False
                    break
            if is_kept:
                kept[pair * limit + count] = order[n]
                place = base + count * FIELDS
                sides[place], sides[place + 1] = low_y, high_y
                sides[place + 2], sides[place + 3] = low_x, high_x
                sides[place + 4] = area
                count += 1
        counts[pair] = count
