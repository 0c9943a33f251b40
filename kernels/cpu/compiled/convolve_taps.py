"""Convolution tap by tap, for large dilations: most taps of most windows are outside the image."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.codes import CONTINUED, KIND
from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import address, load_part, store_part
from lite.kernels.cpu.compiled.microkernels.dense import tile, tile_for
from lite.kernels.cpu.compiled.microkernels.post_activation import apply_post_activation
from lite.kernels.cpu.compiled.microkernels.windows import (
    ABOVE,
    CHANNELS,
    DOWN,
    DOWN_DILATION,
    DOWN_STRIDE,
    HEIGHT,
    LEFT,
    OUT_CHANNELS,
    OUT_HEIGHT,
    OUT_WIDTH,
    RIGHT,
    RIGHT_DILATION,
    RIGHT_STRIDE,
    WIDTH,
)
from lite.kernels.cpu.tile_sizes import LANES


@entry("r", "r", "r", "r", "r", "r", "r", "n", "w", "i", "i", "i")
def convolve_taps(
    x: Any, w: Any, bias: Any, residual: Any, scale: Any, shift: Any, parameters: Any, geometry: Any,
    out: Any, flags: int, columns: int, whole: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Output rows `begin` to `end`, counted over the batch.

    `w` is ``[panels, DOWN, RIGHT, CHANNELS, columns · LANES]``.  The tap with the number `whole` is inside
    the image in all windows.  It comes last, with the epilogue; the others add to what `out` has.
    """
    out_channels, out_width, right = geometry[OUT_CHANNELS], geometry[OUT_WIDTH], geometry[RIGHT]
    for pixel in range(begin * out_width, end * out_width):
        for channel in range(0, out_channels, LANES):
            count = out_channels - channel
            store_part(load_part(bias, channel, count), out, pixel * out_channels + channel, count)
    taps = geometry[DOWN] * right
    for number in range(taps):
        if number != whole:
            _add_tap(
                x, w, bias, residual, scale, shift, parameters, geometry, out, CONTINUED, columns, number,
                begin, end,
            )  # fmt: skip
    steps = flags | CONTINUED
    _add_tap(x, w, bias, residual, scale, shift, parameters, geometry, out, steps, columns, whole, begin, end)
    if flags >> KIND:
        for line in range(begin, end):
            apply_post_activation(
                out, line * out_width * out_channels, out_width, out_channels, flags, parameters, scale, shift
            )


@inner
def _add_tap(
    x: Any, w: Any, bias: Any, residual: Any, scale: Any, shift: Any, parameters: Any, geometry: Any,
    out: Any, steps: int, columns: int, number: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Add the products of one tap to the outputs whose windows have it inside the image."""
    channels, width, height = geometry[CHANNELS], geometry[WIDTH], geometry[HEIGHT]
    out_channels, out_width, out_height = geometry[OUT_CHANNELS], geometry[OUT_WIDTH], geometry[OUT_HEIGHT]
    panel, depth = columns * LANES, geometry[DOWN] * geometry[RIGHT] * channels
    down, right = number // geometry[RIGHT], number % geometry[RIGHT]
    shift_right = right * geometry[RIGHT_DILATION] - geometry[LEFT]
    stride = geometry[RIGHT_STRIDE]
    left = max((stride - 1 - shift_right) // stride, 0)
    stop = min((width - shift_right + stride - 1) // stride, out_width)
    for channel in range(0, out_channels, panel):
        place = channel * depth + number * channels * panel
        for line in range(begin, end):
            n, y = line // out_height, line % out_height
            row = y * geometry[DOWN_STRIDE] + down * geometry[DOWN_DILATION] - geometry[ABOVE]
            if row < 0 or row >= height:
                continue
            source = ((n * height + row) * width + shift_right) * channels
            column = left
            while column < stop:
                size, kind = tile_for(columns, stop - column)
                tile(
                    kind, address(x, source + column * stride * channels), stride * channels, 0, 0, 1, 1,
                    channels, w, place, bias, channel, out_channels - channel, steps, parameters, residual,
                    scale, shift, out, (line * out_width + column) * out_channels + channel, out_channels,
                )  # fmt: skip
                column += size
