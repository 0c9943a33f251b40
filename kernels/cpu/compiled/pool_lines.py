"""Maximum and average pooling of planes and volumes whose channels come first."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import load_every, load_part, maximum, splat, store_part
from lite.kernels.cpu.compiled.pool import combine_row
from lite.kernels.cpu.tile_sizes import LANES


@inner
def _columns(row: Any, left: int, right: int, stride: int, first: Any, is_max: int) -> Any:
    """`LANES` neighbouring windows, `stride` elements apart; the first one spans `left` to `right`."""
    combined = first
    for n in range(left, right):
        v = load_every(row, n, stride)
        combined = maximum(v, combined) if is_max else combined + v
    return combined


@entry("r", "w", "n", "n", "n", "n", "n", "n", "r", "s", "i", "f", "n")
def pool_lines(
    x: Any, out: Any, fronts: Any, backs: Any, tops: Any, bottoms: Any, lefts: Any, rights: Any, factors: Any,
    row: Any, is_max: int, lowest: float, sizes: Any, begin: int, end: int,
) -> None:  # fmt: skip
    """Output rows `begin` to `end`, counted over volumes.

    Window z, y, x spans the elements ``fronts[z]`` to ``backs[z]`` and so on.  Its sum is multiplied by
    ``factors[(z · rows + y) · columns + x]``; the maximum of an empty window is `lowest`.  `sizes` are the
    volume's and the output's depth, height and width, then the range of windows along a row that are all
    inside and as far apart as the last number says.  `row` is scratch memory for a row of the volume, and
    for what lanes without a window read after it.
    """
    depth, height, width = sizes[0], sizes[1], sizes[2]
    rows, columns, first_inner, last_inner, stride = sizes[4], sizes[5], sizes[6], sizes[7], sizes[8]
    for line in range(begin, end):
        y, z, volume = line % rows, line // rows % sizes[3], line // rows // sizes[3]
        first = splat(np.float32(-np.inf)) if is_max else splat(np.float32(0.0))
        for n in range(0, width, LANES):
            store_part(first, row, n, width - n)
        for i in range(fronts[z], backs[z]):
            for j in range(tops[y], bottoms[y]):
                combine_row(x, ((volume * depth + i) * height + j) * width, row, width, is_max)
        is_empty = fronts[z] >= backs[z] or tops[y] >= bottoms[y]
        column = 0
        while column < columns:
            if first_inner <= column < last_inner:
                count = min(last_inner - column, LANES)
                v = _columns(row, lefts[column], rights[column], stride, first, is_max)
                if not is_max:
                    v = v * load_part(factors, (z * rows + y) * columns + column, count)
                elif is_empty:
                    v = splat(lowest)
                store_part(v, out, line * columns + column, count)
                column += count
                continue
            total: Any = np.float32(-np.inf) if is_max else np.float32(0.0)
            if is_max and (is_empty or lefts[column] >= rights[column]):
                total = lowest
            for n in range(lefts[column], rights[column]):
                number = row[n]
                if is_max:
                    if number > total or number != number:
                        total = number
                else:
                    total += number
            if not is_max:
                total *= factors[(z * rows + y) * columns + column]
            out[line * columns + column] = total
            column += 1
