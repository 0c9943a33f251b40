"""Dense convolution of volumes whose channels stay first: windows of neighbouring outputs become panels."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.codes import CLAMPED
from lite.kernels.cpu.compiled.jit.decorators import inlined
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import address, clear, load, load_every, splat, store
from lite.kernels.cpu.compiled.microkernels.copy_row import copy_row
from lite.kernels.cpu.compiled.microkernels.dense import product_panels
from lite.kernels.cpu.compiled.microkernels.volumes import (
    ABOVE,
    CHANNELS,
    DEPTH,
    DOWN,
    DOWN_DILATION,
    DOWN_STRIDE,
    FRONT,
    HEIGHT,
    IN,
    IN_DILATION,
    IN_STRIDE,
    LEFT,
    OUT_CHANNELS,
    OUT_DEPTH,
    OUT_HEIGHT,
    OUT_WIDTH,
    RIGHT,
    RIGHT_DILATION,
    RIGHT_STRIDE,
    WIDTH,
)
from lite.kernels.cpu.tile_sizes import LANES


@entry("r", "r", "r", "r", "n", "s", "w", "i", "i")
def convolve_rows(
    x: Any, w: Any, bias: Any, parameters: Any, geometry: Any, panels: Any, out: Any, columns: int, rows: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """Blocks `begin` to `end`, each of up to `rows` output rows of a plane, counted over the batch.

    `x` is ``[batch, CHANNELS, DEPTH, HEIGHT, WIDTH]``, and `w` ``[OUT_CHANNELS, CHANNELS · taps + 1]`` with
    the biases at the end of its rows.  `bias` has zeros for the outputs of a block.  `panels` is scratch
    memory for ``[panels, CHANNELS · taps + 1, columns · LANES]``, and for one element of all windows.
    """
    lanes, width = columns * LANES, geometry[OUT_WIDTH]
    depth = geometry[CHANNELS] * geometry[IN] * geometry[DOWN] * geometry[RIGHT] + 1
    blocks = (geometry[OUT_HEIGHT] + rows - 1) // rows
    line = (rows * width + lanes - 1) // lanes * lanes * depth
    volume = geometry[OUT_DEPTH] * geometry[OUT_HEIGHT] * width
    for item in range(begin, end):
        y, plane = item % blocks * rows, item // blocks
        z, n = plane % geometry[OUT_DEPTH], plane // geometry[OUT_DEPTH]
        taken = min(rows, geometry[OUT_HEIGHT] - y)
        count = taken * width
        whole = (count + lanes - 1) // lanes * lanes
        clear(panels, line + count, whole - count)
        row = 0
        for channel in range(geometry[CHANNELS]):
            source = (n * geometry[CHANNELS] + channel) * geometry[DEPTH] * geometry[HEIGHT] * geometry[WIDTH]
            for tap_in in range(geometry[IN]):
                inner = z * geometry[IN_STRIDE] + tap_in * geometry[IN_DILATION] - geometry[FRONT]
                for tap_down in range(geometry[DOWN]):
                    top = y * geometry[DOWN_STRIDE] + tap_down * geometry[DOWN_DILATION] - geometry[ABOVE]
                    for tap_right in range(geometry[RIGHT]):
                        shift = tap_right * geometry[RIGHT_DILATION] - geometry[LEFT]
                        if geometry[RIGHT_STRIDE] == 1:
                            _take(x, source, geometry, inner, top, shift, 1, taken, panels, line)
                        elif geometry[RIGHT_STRIDE] == 2:
                            _take(x, source, geometry, inner, top, shift, 2, taken, panels, line)
                        else:
                            stride = geometry[RIGHT_STRIDE]
                            _take(x, source, geometry, inner, top, shift, stride, taken, panels, line)
                        _spread(panels, line, whole, lanes, depth, row)
                        row += 1
        for panel in range(0, whole, lanes):
            for lane in range(0, lanes, LANES):
                store(splat(np.float32(1.0)), panels, panel * depth + row * lanes + lane)
        product_panels(
            columns, address(w, 0), geometry[OUT_CHANNELS], depth, panels, 0, bias, 0, count, CLAMPED,
            parameters, bias, bias, bias, out, n * geometry[OUT_CHANNELS] * volume
            + (z * geometry[OUT_HEIGHT] + y) * width, volume,
        )  # fmt: skip


@inlined
def _take(
    x: Any, source: int, geometry: Any, plane: int, top: int, shift: int, stride: int, rows: int,
    out: Any, line: int,
) -> None:  # fmt: skip
    """Write one element of each window of `rows` output rows from `line` on; 0 for one in the padding.

    The elements of the first row lie in row `top` of a plane of the channel from `source` on, `stride` apart
    from column `shift` on.
    """
    width = geometry[OUT_WIDTH]
    end = source + geometry[DEPTH] * geometry[HEIGHT] * geometry[WIDTH]
    first = min(max((stride - 1 - shift) // stride, 0), width)
    last = max(min((geometry[WIDTH] - shift + stride - 1) // stride, width), first)
    for n in range(rows):
        row, dest = top + n * geometry[DOWN_STRIDE], line + n * width
        if plane < 0 or plane >= geometry[DEPTH] or row < 0 or row >= geometry[HEIGHT]:
            clear(out, dest, width)
            continue
        place = source + (plane * geometry[HEIGHT] + row) * geometry[WIDTH] + shift
        for column in range(first):
            out[dest + column] = 0.0
        if stride == 1:
            copy_row(x, place + first, out, dest + first, last - first)
        else:
            _copy_every(x, place, stride, end, out, dest, first, last)
        for column in range(last, width):
            out[dest + column] = 0.0


@inlined
def _copy_every(
    x: Any, place: int, stride: int, end: int, out: Any, dest: int, first: int, last: int
) -> None:
    """Copy elements `first` to `last` of those that lie `stride` apart, and up to a vector after them.

    `x` may be read up to `end`.
    """
    n = first
    while n < last and place + (n + LANES) * stride <= end:
        store(load_every(x, place + n * stride, stride), out, dest + n)
        n += LANES
    while n < last:
        out[dest + n] = x[place + n * stride]
        n += 1


@inlined
def _spread(panels: Any, line: int, count: int, lanes: int, depth: int, row: int) -> None:
    """Copy `count` elements from `line` on to a row of the panels."""
    for panel in range(0, count, lanes):
        for lane in range(0, lanes, LANES):
            store(load(panels, line + panel + lane), panels, panel * depth + row * lanes + lane)
