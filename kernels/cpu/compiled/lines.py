"""Depthwise convolution of few channels: vectors are neighbours along a row, of any channels."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import fma, load, store_part
from lite.kernels.cpu.compiled.microkernels.windows import (
    ABOVE,
    CHANNELS,
    DOWN,
    DOWN_DILATION,
    DOWN_STRIDE,
    HEIGHT,
    LEFT,
    OUT_HEIGHT,
    OUT_WIDTH,
    RIGHT,
    RIGHT_DILATION,
    WIDTH,
    gather,
    rows_inside,
)
from lite.kernels.cpu.compiled.squeeze_excite import activated
from lite.kernels.cpu.lengths.products import LINE_VECTORS
from lite.kernels.cpu.tile_sizes import LANES


@inner
def _finish(v: Any, flags: int, parameters: Any, out: Any, dest: int, count: int) -> None:
    if count > 0:
        store_part(activated(v, flags, parameters) if flags else v, out, dest, count)


@inner
def _block(
    patch: Any, source: int, row_step: int, down: int, tap_step: int, right: int, w: Any, place: int,
    channels: int, phase: int, bias: Any, flags: int, parameters: Any, out: Any, dest: int, count: int,
) -> None:  # fmt: skip
    """`LINE_VECTORS` vectors of a row of results; the first element belongs to channel `phase`."""
    period = channels + LANES
    p1 = (phase + LANES) % channels
    p2, p3 = (phase + 2 * LANES) % channels, (phase + 3 * LANES) % channels
    p4, p5 = (phase + 4 * LANES) % channels, (phase + 5 * LANES) % channels
    p6, p7 = (phase + 6 * LANES) % channels, (phase + 7 * LANES) % channels
    a0, a1, a2, a3 = load(bias, phase), load(bias, p1), load(bias, p2), load(bias, p3)
    a4, a5, a6, a7 = load(bias, p4), load(bias, p5), load(bias, p6), load(bias, p7)
    for i in range(down):
        at = source + i * row_step
        for _ in range(right):
            if channels == 1:
                f = load(w, place)
                a0, a1 = fma(load(patch, at), f, a0), fma(load(patch, at + LANES), f, a1)
                a2, a3 = fma(load(patch, at + 2 * LANES), f, a2), fma(load(patch, at + 3 * LANES), f, a3)
                a4, a5 = fma(load(patch, at + 4 * LANES), f, a4), fma(load(patch, at + 5 * LANES), f, a5)
                a6, a7 = fma(load(patch, at + 6 * LANES), f, a6), fma(load(patch, at + 7 * LANES), f, a7)
            else:
                a0 = fma(load(patch, at), load(w, place + phase), a0)
                a1 = fma(load(patch, at + LANES), load(w, place + p1), a1)
                a2 = fma(load(patch, at + 2 * LANES), load(w, place + p2), a2)
                a3 = fma(load(patch, at + 3 * LANES), load(w, place + p3), a3)
                a4 = fma(load(patch, at + 4 * LANES), load(w, place + p4), a4)
                a5 = fma(load(patch, at + 5 * LANES), load(w, place + p5), a5)
                a6 = fma(load(patch, at + 6 * LANES), load(w, place + p6), a6)
                a7 = fma(load(patch, at + 7 * LANES), load(w, place + p7), a7)
            at += tap_step
            place += period
    _finish(a0, flags, parameters, out, dest, count)
    _finish(a1, flags, parameters, out, dest + LANES, count - LANES)
    _finish(a2, flags, parameters, out, dest + 2 * LANES, count - 2 * LANES)
    _finish(a3, flags, parameters, out, dest + 3 * LANES, count - 3 * LANES)
    _finish(a4, flags, parameters, out, dest + 4 * LANES, count - 4 * LANES)
    _finish(a5, flags, parameters, out, dest + 5 * LANES, count - 5 * LANES)
    _finish(a6, flags, parameters, out, dest + 6 * LANES, count - 6 * LANES)
    _finish(a7, flags, parameters, out, dest + 7 * LANES, count - 7 * LANES)


@entry("r", "r", "r", "r", "n", "s", "w", "i")
def filter_lines(
    x: Any, w: Any, bias: Any, parameters: Any, geometry: Any, patch: Any, out: Any, flags: int, begin: int,
    end: int,
) -> None:  # fmt: skip
    """Output rows `begin` to `end`, counted over the batch; the stride along rows is 1.

    `w` is ``[DOWN, RIGHT, CHANNELS + LANES]`` and `bias` ``[CHANNELS + LANES]``: the channels, and again from
    the first one on.  `patch` is scratch memory for the windows of a row, and `LINE_VECTORS` vectors.
    """
    channels, width, right = geometry[CHANNELS], geometry[WIDTH], geometry[RIGHT]
    elements = geometry[OUT_WIDTH] * channels
    tap_step, row_step = geometry[RIGHT_DILATION] * channels, geometry[DOWN_DILATION] * width * channels
    span = geometry[OUT_WIDTH] + (right - 1) * geometry[RIGHT_DILATION]
    for line in range(begin, end):
        n, y = divmod(line, geometry[OUT_HEIGHT])
        top = y * geometry[DOWN_STRIDE] - geometry[ABOVE]
        skipped, down = rows_inside(top, geometry[DOWN], geometry[DOWN_DILATION], geometry[HEIGHT])
        source = (n * geometry[HEIGHT] + top + skipped * geometry[DOWN_DILATION]) * width * channels
        gather(x, source, row_step, down, -geometry[LEFT], span, geometry, patch)
        place = skipped * right * (channels + LANES)
        for first in range(0, elements, LINE_VECTORS * LANES):
            _block(
                patch, first, span * channels, down, tap_step, right, w, place, channels, first % channels,
                bias, flags, parameters, out, line * elements + first, elements - first,
            )  # fmt: skip
