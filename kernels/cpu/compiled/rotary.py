"""Rotations of pairs of elements by the angles of their positions."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import load_part, store_part
from lite.kernels.cpu.tile_sizes import LANES


@inner
def _rotate(
    x: Any, place: int, cos: Any, sin: Any, angle: int, out: Any, size: int, pairs: int, interleaved: int
) -> None:
    """Rotate the first `pairs` pairs among `size` elements, and copy the others."""
    if interleaved:
        for n in range(pairs):
            c, s, at = cos[angle + n], sin[angle + n], place + 2 * n
            first, second = x[at], x[at + 1]
            out[at] = c * first - s * second
            out[at + 1] = s * first + c * second
    else:
        for n in range(0, pairs, LANES):
            left, at, to = pairs - n, place + n, place + pairs + n
            c, s = load_part(cos, angle + n, left), load_part(sin, angle + n, left)
            first, second = load_part(x, at, left), load_part(x, to, left)
            store_part(c * first - s * second, out, at, left)
            store_part(s * first + c * second, out, to, left)
    for n in range(2 * pairs, size, LANES):
        store_part(load_part(x, place + n, size - n), out, place + n, size - n)


@entry("r", "r", "r", "n", "w", "m", "n", "i", "i", "i", "i", "i", "i", "i")
def rotate(
    x: Any, cos: Any, sin: Any, positions: Any, out: Any, failures: Any, steps: Any, rows: int, heads: int,
    size: int, pairs: int, angles: int, has_positions: int, interleaved: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Rows `begin` to `end`, counted over the samples: `heads` heads of `size` elements each.

    `steps` are those of samples, heads and rows in `x` and the result.  `cos` and `sin` have `pairs` elements
    for each of `angles` angles: that of the row's position, or of the row.  A position beyond is noted in
    `failures`; a negative one counts from the end.
    """
    for item in range(begin, end):
        angle = item
        if has_positions:
            angle = positions[item]
            if angle < 0:
                angle += angles
            if angle < 0 or angle >= angles:
                failures[1] = positions[item]
                failures[2] = 0
                failures[0] = 1
                continue
        place = item // rows * steps[0] + item % rows * steps[2]
        for head in range(heads):
            at = place + head * steps[1]
            _rotate(x, at, cos, sin, angle * pairs, out, size, pairs, interleaved)
