"""Pooling of images in NHWC."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit import entry
from lite.kernels.cpu.compiled.machine import LANES
from lite.kernels.cpu.compiled.vector import load_part, maximum, splat, store_part


@entry("r4", "w4", "n", "n", "n", "n", "r1", "i", "f", "i", "i")
def pool(
    x: Any, out: Any, tops: Any, bottoms: Any, lefts: Any, rights: Any, shares: Any, is_max: int,
    lowest: float, begin: int, end: int,
) -> None:  # fmt: skip
    """Output rows `begin` to `end`, counted over the batch.

    Window y, x spans rows tops[y] to bottoms[y] and columns lefts[x] to rights[x]; a sum is multiplied by
    ``shares[y · columns + x]``, a maximum begins at `lowest`.
    """
    height, width, channels = x.shape[1], x.shape[2], x.shape[3]
    rows, columns = len(tops), len(lefts)
    for line in range(begin, end):
        n, y = divmod(line, rows)
        for column in range(columns):
            goal = (line * columns + column) * channels
            share = splat(shares[y * columns + column])
            for channel in range(0, channels, LANES):
                count = channels - channel
                found = splat(lowest) if is_max else splat(0.0)
                for i in range(tops[y], bottoms[y]):
                    place = ((n * height + i) * width + lefts[column]) * channels + channel
                    for _ in range(lefts[column], rights[column]):
                        v = load_part(x, place, count)
                        found = maximum(v, found) if is_max else found + v
                        place += channels
                store_part(found if is_max else found * share, out, goal + channel, count)
