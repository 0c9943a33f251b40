"""Maximum and average pooling of images in NHWC."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.entry import entry
from lite.kernels.cpu.compiled.vector import load_part, maximum, splat, store_part
from lite.kernels.cpu.tile_sizes import LANES


@entry("r", "w", "n", "n", "n", "n", "r", "i", "f", "n")
def pool(
    x: Any, out: Any, tops: Any, bottoms: Any, lefts: Any, rights: Any, factors: Any, is_max: int,
    lowest: float, sizes: Any, begin: int, end: int,
) -> None:  # fmt: skip
    """Output rows `begin` to `end`, counted over the batch.

    Window y, x spans rows ``tops[y]`` to ``bottoms[y]`` and columns ``lefts[x]`` to ``rights[x]``.  Its sum
    is multiplied by ``factors[y · columns + x]``; the maximum of an empty window is `lowest`.  `sizes` are
    the image's height, width and channels, and the output's rows and columns.
    """
    height, width, channels, rows, columns = sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]
    for line in range(begin, end):
        n, y = divmod(line, rows)
        for column in range(columns):
            dest = (line * columns + column) * channels
            factor = splat(factors[y * columns + column])
            is_empty = tops[y] >= bottoms[y] or lefts[column] >= rights[column]
            first = lowest if is_empty else np.float32(-np.inf)
            for channel in range(0, channels, LANES):
                count = channels - channel
                combined = splat(first) if is_max else splat(0.0)
                for i in range(tops[y], bottoms[y]):
                    place = ((n * height + i) * width + lefts[column]) * channels + channel
                    for _ in range(lefts[column], rights[column]):
                        v = load_part(x, place, count)
                        combined = maximum(v, combined) if is_max else combined + v
                        place += channels
                store_part(combined if is_max else combined * factor, out, dest + channel, count)
