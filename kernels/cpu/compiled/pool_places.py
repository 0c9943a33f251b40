"""Maximum pooling with the place of each maximum, and its inverse."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import clear


@inner
def _pool_places(
    x: Any, out: Any, indices: Any, fronts: Any, planes: Any, tops: Any, lines: Any, lefts: Any,
    elements: Any, sizes: Any, begin: int, end: int,
) -> None:  # fmt: skip
    depth, height, width, out_depth, rows, columns = (
        sizes[0],
        sizes[1],
        sizes[2],
        sizes[3],
        sizes[4],
        sizes[5],
    )
    depth_dilation, line_dilation, dilation = sizes[6], sizes[7], sizes[8]
    depth_step, line_step, step = sizes[9], sizes[10], sizes[11]
    for line in range(begin, end):
        y, plane = line % rows, line // rows
        z, volume = plane % out_depth, plane // out_depth
        start = ((volume * depth + fronts[z]) * height + tops[y]) * width
        first = volume * sizes[12] + fronts[z] * depth_step + tops[y] * line_step
        for column in range(columns):
            dest, left, count = line * columns + column, lefts[column], elements[column]
            if planes[z] == 0 or lines[y] == 0 or count == 0:
                out[dest], indices[dest] = np.float32(-np.inf), volume * sizes[12] - 1
                continue
            best, found = x[start + left], first + left * step
            for i in range(planes[z]):
                for j in range(lines[y]):
                    at = start + left + (i * depth_dilation * height + j * line_dilation) * width
                    index = first + left * step + i * depth_dilation * depth_step
                    index += j * line_dilation * line_step
                    for n in range(count):
                        v = x[at + n * dilation]
                        is_larger = v > best
                        best = v if is_larger else best
                        found = index + n * dilation * step if is_larger else found
            out[dest], indices[dest] = best, found


@entry("r", "w", "m", "n", "n", "n", "n", "n", "n", "n")
def pool_places(
    x: Any, out: Any, indices: Any, fronts: Any, planes: Any, tops: Any, lines: Any, lefts: Any,
    elements: Any, sizes: Any, begin: int, end: int,
) -> None:  # fmt: skip
    """Output rows `begin` to `end`, counted over volumes, and the index of the first maximum of each window.

    Window z, y, x begins at plane ``fronts[z]``, line ``tops[y]`` and element ``lefts[x]``, and has as many
    of each as `planes`, `lines` and `elements` say.  NaN is the maximum where it is first, and else none.
    That of an empty window is -inf, with the index before the volume.  `sizes` are the volume's and the
    output's depth, height and width, the dilations, the differences of the indices of neighbours along each
    axis, and that of volumes.
    """
    _pool_places(x, out, indices, fronts, planes, tops, lines, lefts, elements, sizes, begin, end)


@entry("r", "w", "j", "n", "n", "n", "n", "n", "n", "n")
def pool_short_places(
    x: Any, out: Any, indices: Any, fronts: Any, planes: Any, tops: Any, lines: Any, lefts: Any,
    elements: Any, sizes: Any, begin: int, end: int,
) -> None:  # fmt: skip
    """`pool_places` with indices of 32 bits."""
    _pool_places(x, out, indices, fronts, planes, tops, lines, lefts, elements, sizes, begin, end)


@entry("r", "n", "w", "m", "i", "i")
def unpool(
    x: Any, indices: Any, out: Any, failures: Any, elements: int, size: int, begin: int, end: int
) -> None:
    """``out = 0``, of `size` elements, then ``out[indices[n]] = x[n]`` for n in order; one work item.

    Notes an index that is not from 0 to `size` - 1.
    """
    clear(out, 0, size)
    for n in range(elements):
        place = indices[n]
        if 0 <= place < size:
            out[place] = x[n]
        else:
            failures[0], failures[1], failures[2] = 1, place, 0
