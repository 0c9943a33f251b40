"""Convolution of volumes, which are padded and transposed to channels last first."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.depthwise import tile_of_channels
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import address, clear, copy
from lite.kernels.cpu.compiled.microkernels.dense import tile
from lite.kernels.cpu.compiled.transpose import transpose_matrix
from lite.kernels.cpu.tile_sizes import DEPTHWISE_ROWS, LANES, ROWS
from lite.kernels.cpu.tile_sizes import FEW_DEPTHWISE_ROWS as FEW

(
    CHANNELS, OUT_CHANNELS, DEPTH, HEIGHT, WIDTH, PADDED_DEPTH, PADDED_HEIGHT, PADDED_WIDTH,
    OUT_DEPTH, OUT_HEIGHT, OUT_WIDTH, IN, DOWN, RIGHT, IN_STRIDE, DOWN_STRIDE, RIGHT_STRIDE,
    IN_DILATION, DOWN_DILATION, RIGHT_DILATION, FRONT, ABOVE, LEFT,
) = range(23)  # fmt: skip
"""The indices of sizes, strides, dilations and padding in a geometry, ``int64[23]``."""


@entry("r", "w", "n")
def pad_volumes(x: Any, out: Any, geometry: Any, begin: int, end: int) -> None:
    """Write rows `begin` to `end`, counted over the batch, of padded volumes with channels last.

    `x` is ``[batch, CHANNELS, DEPTH, HEIGHT, WIDTH]``; what the padded volume does not span is cut.
    """
    channels, width, padded_width = geometry[CHANNELS], geometry[WIDTH], geometry[PADDED_WIDTH]
    plane = geometry[HEIGHT] * width
    first = min(max(geometry[LEFT], 0), padded_width)
    last = max(min(geometry[LEFT] + width, padded_width), first)
    for row in range(begin, end):
        dest = row * padded_width * channels
        y = row % geometry[PADDED_HEIGHT] - geometry[ABOVE]
        z = row // geometry[PADDED_HEIGHT] % geometry[PADDED_DEPTH] - geometry[FRONT]
        n = row // geometry[PADDED_HEIGHT] // geometry[PADDED_DEPTH]
        if y < 0 or y >= geometry[HEIGHT] or z < 0 or z >= geometry[DEPTH]:
            clear(out, dest, padded_width * channels)
            continue
        clear(out, dest, first * channels)
        start = (n * channels * geometry[DEPTH] + z) * plane + y * width + first - geometry[LEFT]
        if channels < LANES:
            for channel in range(channels):
                for n in range(last - first):
                    place = start + channel * geometry[DEPTH] * plane + n
                    out[dest + (first + n) * channels + channel] = x[place]
        elif last > first:
            transpose_matrix(
                x,
                start,
                geometry[DEPTH] * plane,
                channels,
                last - first,
                out,
                dest + first * channels,
                channels,
            )
        clear(out, dest + last * channels, (padded_width - last) * channels)


@entry("r", "r", "r", "r", "n", "w", "i")
def convolve_volumes(
    x: Any, w: Any, bias: Any, parameters: Any, geometry: Any, out: Any, columns: int, begin: int, end: int
) -> None:
    """Output rows `begin` to `end`, counted over the batch, of padded volumes with channels last.

    `w` is ``[panels, IN, DOWN, RIGHT · CHANNELS, columns · LANES]``; windows are dense along rows.
    """
    channels, out_channels, out_width = geometry[CHANNELS], geometry[OUT_CHANNELS], geometry[OUT_WIDTH]
    depth, panel = geometry[RIGHT] * channels, columns * LANES
    down_step, taps = geometry[PADDED_WIDTH] * channels, geometry[IN] * geometry[DOWN] * depth
    in_step, pixel_step = geometry[PADDED_HEIGHT] * down_step, geometry[RIGHT_STRIDE] * channels
    rows, kind = ROWS[columns], columns
    if out_width < rows:
        rows, kind = 1, -columns
    for line in range(begin, end):
        y, plane = line % geometry[OUT_HEIGHT], line // geometry[OUT_HEIGHT]
        z, n = plane % geometry[OUT_DEPTH], plane // geometry[OUT_DEPTH]
        source = (n * geometry[PADDED_DEPTH] + z * geometry[IN_STRIDE]) * in_step + y * geometry[
            DOWN_STRIDE
        ] * down_step
        for channel in range(0, out_channels, panel):
            column = 0
            while column < out_width:
                # The last tile of a row is moved back over pixels that were computed before.
                start = min(column, out_width - rows)
                column = start + rows
                tile(
                    kind, address(x, source + start * pixel_step), pixel_step,
                    geometry[IN_DILATION] * in_step, geometry[DOWN_DILATION] * down_step,
                    geometry[IN], geometry[DOWN], depth, w, channel * taps, bias, channel,
                    out_channels - channel, 0, parameters, bias, bias, bias, out,
                    (line * out_width + start) * out_channels + channel, out_channels,
                )  # fmt: skip


@entry("r", "r", "r", "r", "n", "s", "w", "c")
def convolve_channels(
    x: Any, w: Any, bias: Any, parameters: Any, geometry: Any, patch: Any, out: Any, codes: Any, begin: int,
    end: int,
) -> None:  # fmt: skip
    """Like `convolve_volumes`, with a filter for each channel: `w` is ``[IN, DOWN, RIGHT, channels]``.

    `patch` is scratch memory for the windows of one tile; nothing is written to `codes`.
    """
    channels, out_width, right = geometry[CHANNELS], geometry[OUT_WIDTH], geometry[RIGHT]
    padded = (channels + LANES - 1) // LANES * LANES
    down_step = geometry[PADDED_WIDTH] * channels
    in_step, pixel_step = geometry[PADDED_HEIGHT] * down_step, geometry[RIGHT_STRIDE] * channels
    rows = DEPTHWISE_ROWS if out_width >= DEPTHWISE_ROWS else FEW if out_width >= FEW else 1
    span = ((rows - 1) * geometry[RIGHT_STRIDE] + (right - 1) * geometry[RIGHT_DILATION] + 1) * channels
    for line in range(begin, end):
        y, plane = line % geometry[OUT_HEIGHT], line // geometry[OUT_HEIGHT]
        z, n = plane % geometry[OUT_DEPTH], plane // geometry[OUT_DEPTH]
        source = (n * geometry[PADDED_DEPTH] + z * geometry[IN_STRIDE]) * in_step + y * geometry[
            DOWN_STRIDE
        ] * down_step
        column = 0
        while column < out_width:
            start = min(column, out_width - rows)
            column = start + rows
            place = source + start * pixel_step
            if geometry[IN] == 1:
                origin, step = address(x, place), geometry[DOWN_DILATION] * down_step
            elif geometry[DOWN] == 1:
                origin, step = address(x, place), geometry[IN_DILATION] * in_step
            else:
                # Rows of the window that are all the same distance apart.
                for i in range(geometry[IN]):
                    for j in range(geometry[DOWN]):
                        row = (
                            place
                            + i * geometry[IN_DILATION] * in_step
                            + j * geometry[DOWN_DILATION] * down_step
                        )
                        copy(patch, (i * geometry[DOWN] + j) * span, x, row, span)
                origin, step = address(patch, 0), span
            for channel in range(0, channels, LANES):
                tile_of_channels(
                    rows, origin + 4 * channel, pixel_step, step, geometry[RIGHT_DILATION] * channels,
                    geometry[IN] * geometry[DOWN], right, 0, padded, w, channel, bias, channel,
                    min(channels - channel, LANES), 0, parameters, bias, bias, bias, out, codes, 0.0, 0.0,
                    (line * out_width + start) * channels + channel, channels,
                )  # fmt: skip


@entry("r", "w", "i", "i", "i")
def channels_first(x: Any, out: Any, channels: int, planes: int, pixels: int, begin: int, end: int) -> None:
    """Transpose planes `begin` to `end`, ``[pixels, channels]``, to channels first; a volume has `planes`."""
    for plane in range(begin, end):
        dest = (plane // planes * channels * planes + plane % planes) * pixels
        transpose_matrix(x, plane * pixels * channels, channels, pixels, channels, out, dest, planes * pixels)
