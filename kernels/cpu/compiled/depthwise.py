"""Depthwise convolution: each channel has one filter, and vectors of channels are computed together."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.codes import KIND
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import address
from lite.kernels.cpu.compiled.microkernels.depthwise_tiles import depthwise_tile
from lite.kernels.cpu.compiled.microkernels.post_activation import apply_post_activation
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
    RIGHT_STRIDE,
    WIDTH,
    columns_inside,
    gather_part,
    rows_inside,
)
from lite.kernels.cpu.tile_sizes import DEPTHWISE_ROWS as ROWS
from lite.kernels.cpu.tile_sizes import FEW_DEPTHWISE_ROWS as FEW
from lite.kernels.cpu.tile_sizes import LANES, LARGE_PATCH, PATCH

tile_of_channels = depthwise_tile(ROWS, of_bytes=False)
"""The tiles of `ROWS` pixels and of one, as `depthwise_tile` describes."""


@entry("r", "r", "r", "r", "r", "r", "r", "n", "s", "w", "c", "i", "i", "f", "f")
def depthwise(
    x: Any, w: Any, bias: Any, residual: Any, scale: Any, shift: Any, parameters: Any, geometry: Any,
    patch: Any, out: Any, codes: Any, flags: int, strips: int, out_scale: float, out_zero: float, begin: int,
    end: int,
) -> None:  # fmt: skip
    """Strips `begin` to `end` of output rows, of which each has `strips`, counted over the batch.

    `w` is ``[DOWN, RIGHT, channels]``, padded.  `patch` is scratch memory for the windows of one tile.
    The results y are float32 in `out`, or with `QUANTIZED` in `codes` the bytes
    ``round(y · out_scale) + out_zero``.
    """
    channels, width, out_width = geometry[CHANNELS], geometry[WIDTH], geometry[OUT_WIDTH]
    padded = (channels + LANES - 1) // LANES * LANES
    pixel_step, column_step = geometry[RIGHT_STRIDE] * channels, geometry[RIGHT_DILATION] * channels
    row_step = geometry[DOWN_DILATION] * width * channels
    right = geometry[RIGHT]
    rows = ROWS if out_width >= ROWS else FEW if out_width >= FEW else 1
    span = (rows - 1) * geometry[RIGHT_STRIDE] + (right - 1) * geometry[RIGHT_DILATION] + 1
    # Large windows at a border are copied for so many channels that the first-level cache holds them.
    part, pixels = channels, geometry[DOWN] * span
    if pixels * channels > LARGE_PATCH:
        part = max(PATCH // (pixels * 2 * LANES), 1) * 2 * LANES
    inside_first, inside_last = columns_inside(geometry)
    tiles = (out_width + rows - 1) // rows
    for item in range(begin, end):
        line, strip = divmod(item, strips)
        n, y = divmod(line, geometry[OUT_HEIGHT])
        top = y * geometry[DOWN_STRIDE] - geometry[ABOVE]
        skipped, down = rows_inside(top, geometry[DOWN], geometry[DOWN_DILATION], geometry[HEIGHT])
        source = (n * geometry[HEIGHT] + top + skipped * geometry[DOWN_DILATION]) * width * channels
        first_column = strip * tiles // strips * rows
        last_column = min((strip + 1) * tiles // strips * rows, out_width)
        column = first_column
        while column < last_column:
            # The last tile of a strip is moved back over pixels that were computed before.
            start = min(column, last_column - rows)
            column = start + rows
            left = start * geometry[RIGHT_STRIDE] - geometry[LEFT]
            is_copied = start < inside_first or column > inside_last
            for first in range(0, channels, part if is_copied else channels):
                last = min(first + part, channels) if is_copied else channels
                origin, step = address(x, source + left * channels), row_step
                pixel, tap = pixel_step, column_step
                if is_copied:
                    taken = last - first
                    gather_part(x, source + first, row_step, down, left, span, geometry, taken, patch)
                    origin, step = address(patch, 0) - 4 * first, span * taken
                    pixel, tap = geometry[RIGHT_STRIDE] * taken, geometry[RIGHT_DILATION] * taken
                channel = first
                while channel < last:
                    count = channels - channel
                    place = skipped * right * padded + channel
                    dest = (line * out_width + start) * channels + channel
                    tile_of_channels(
                        rows, origin + 4 * channel, pixel, step, tap, down, right, 0, padded, w, place, bias,
                        channel, count, flags, parameters, residual, scale, shift, out, codes, out_scale,
                        out_zero, dest, channels,
                    )  # fmt: skip
                    channel += 2 * LANES if count >= 2 * LANES else LANES
        if flags >> KIND:
            apply_post_activation(
                out, (line * out_width + first_column) * channels, last_column - first_column, channels,
                flags, parameters, scale, shift,
            )  # fmt: skip
