"""Convolution of volumes: dense ones are padded and transposed to channels last first, others are not."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inlined, inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import (
    address,
    clear,
    fma,
    load,
    load_every,
    load_part,
    splat,
    store,
)
from lite.kernels.cpu.compiled.microkernels.copy_row import copy_row
from lite.kernels.cpu.compiled.microkernels.dense import product_panels, tile
from lite.kernels.cpu.compiled.transpose import transpose_matrix
from lite.kernels.cpu.tile_sizes import LANES, ROWS

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


@inlined
def _pixels(
    volume: Any, start: int, w: Any, weight: int, geometry: Any, plane_step: int, row_step: int, stride: int,
    bias: float,
) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    """Four vectors of neighbouring outputs of a channel; the first window begins at `start`."""
    a = b = c = d = splat(bias)
    tap, step = weight, LANES * stride
    for i in range(geometry[IN]):
        for j in range(geometry[DOWN]):
            at = start + i * plane_step + j * row_step
            for _ in range(geometry[RIGHT]):
                f = splat(w[tap])
                a = fma(load_every(volume, at, stride), f, a)
                b = fma(load_every(volume, at + step, stride), f, b)
                c = fma(load_every(volume, at + 2 * step, stride), f, c)
                d = fma(load_every(volume, at + 3 * step, stride), f, d)
                at += geometry[RIGHT_DILATION]
                tap += 1
    return a, b, c, d


@inlined
def _few_pixels(
    volume: Any, start: int, w: Any, weight: int, geometry: Any, plane_step: int, row_step: int, stride: int,
    bias: float, second: int,
) -> tuple[Any, Any]:  # fmt: skip
    """Two vectors of `_pixels`; the windows of the second one begin `second` elements after the first's."""
    a = b = splat(bias)
    tap = weight
    for i in range(geometry[IN]):
        for j in range(geometry[DOWN]):
            at = start + i * plane_step + j * row_step
            for _ in range(geometry[RIGHT]):
                f = splat(w[tap])
                a = fma(load_every(volume, at, stride), f, a)
                b = fma(load_every(volume, at + second, stride), f, b)
                at += geometry[RIGHT_DILATION]
                tap += 1
    return a, b


@inlined
def _row_of_channel(
    volume: Any, start: int, w: Any, weight: int, geometry: Any, plane_step: int, row_step: int, stride: int,
    bias: float, out: Any, dest: int, spare: int,
) -> None:  # fmt: skip
    """A row of outputs of a channel; `spare` elements of `volume` hold a vector."""
    width, column = geometry[OUT_WIDTH], 0
    while column + 4 * LANES <= width:
        a, b, c, d = _pixels(
            volume, start + column * stride, w, weight, geometry, plane_step, row_step, stride, bias
        )
        store(a, out, dest + column)
        store(b, out, dest + column + LANES)
        store(c, out, dest + column + 2 * LANES)
        store(d, out, dest + column + 3 * LANES)
        column += 4 * LANES
    if width < LANES:
        v, _ = _few_pixels(volume, start, w, weight, geometry, plane_step, row_step, stride, bias, 0)
        store(v, volume, spare)
        for n in range(width):
            out[dest + n] = volume[spare + n]
        return
    while column < width:
        # The last vectors of a row are moved back over outputs that were computed before.
        first = min(column, max(width - 2 * LANES, 0))
        second = min(LANES, width - LANES)
        a, b = _few_pixels(
            volume, start + first * stride, w, weight, geometry, plane_step, row_step, stride, bias,
            second * stride,
        )  # fmt: skip
        store(a, out, dest + first)
        store(b, out, dest + first + second)
        column += 2 * LANES


@entry("r", "r", "r", "n", "s", "w")
def convolve_channels(
    x: Any, w: Any, bias: Any, geometry: Any, volume: Any, out: Any, begin: int, end: int
) -> None:
    """Channels `begin` to `end`, counted over the batch, each with a filter of its own.

    `x` is ``[batch, CHANNELS, DEPTH, HEIGHT, WIDTH]`` and `w` ``[CHANNELS, IN, DOWN, RIGHT]``.  `volume` is
    scratch memory for a padded channel, for what the last lanes read after it, and for a vector.
    """
    row_step = geometry[PADDED_WIDTH]
    plane_step = geometry[PADDED_HEIGHT] * row_step
    taps, stride = geometry[IN] * geometry[DOWN] * geometry[RIGHT], geometry[RIGHT_STRIDE]
    spare = geometry[PADDED_DEPTH] * plane_step + LANES * stride
    row_dilated, plane_dilated = geometry[DOWN_DILATION] * row_step, geometry[IN_DILATION] * plane_step
    for item in range(begin, end):
        channel = item % geometry[CHANNELS]
        _pad_channel(x, item * geometry[DEPTH] * geometry[HEIGHT] * geometry[WIDTH], geometry, volume)
        dest, weight, constant = item * geometry[OUT_DEPTH], channel * taps, bias[channel]
        for z in range(geometry[OUT_DEPTH]):
            for y in range(geometry[OUT_HEIGHT]):
                start = z * geometry[IN_STRIDE] * plane_step + y * geometry[DOWN_STRIDE] * row_step
                place = ((dest + z) * geometry[OUT_HEIGHT] + y) * geometry[OUT_WIDTH]
                if stride == 1:
                    _row_of_channel(
                        volume, start, w, weight, geometry, plane_dilated, row_dilated, 1, constant, out,
                        place, spare,
                    )  # fmt: skip
                elif stride == 2:
                    _row_of_channel(
                        volume, start, w, weight, geometry, plane_dilated, row_dilated, 2, constant, out,
                        place, spare,
                    )  # fmt: skip
                else:
                    _row_of_channel(
                        volume, start, w, weight, geometry, plane_dilated, row_dilated, stride, constant, out,
                        place, spare,
                    )  # fmt: skip


@inner
def _pad_channel(x: Any, source: int, geometry: Any, volume: Any) -> None:
    """Copy the volume of a channel with its padding; what the padded volume does not span is cut."""
    width, padded = geometry[WIDTH], geometry[PADDED_WIDTH]
    first = min(max(geometry[LEFT], 0), padded)
    last = max(min(geometry[LEFT] + width, padded), first)
    for z in range(geometry[PADDED_DEPTH]):
        plane = z - geometry[FRONT]
        for y in range(geometry[PADDED_HEIGHT]):
            row, dest = y - geometry[ABOVE], (z * geometry[PADDED_HEIGHT] + y) * padded
            if plane < 0 or plane >= geometry[DEPTH] or row < 0 or row >= geometry[HEIGHT]:
                clear(volume, dest, padded)
                continue
            place = source + (plane * geometry[HEIGHT] + row) * width
            for n in range(first):
                volume[dest + n] = 0.0
            copy_row(x, place + first - geometry[LEFT], volume, dest + first, last - first)
            for n in range(last, padded):
                volume[dest + n] = 0.0


@entry("r", "r", "r", "r", "s", "w", "i", "i", "i", "i", "i")
def multiply_pixels(
    x: Any, w: Any, bias: Any, parameters: Any, panels: Any, out: Any, columns: int, channels: int,
    outputs: int, pixels: int, block: int, begin: int, end: int,
) -> None:  # fmt: skip
    """``out[n, o, p] = Σ w[o, c] · x[n, c, p] + w[o, channels]`` for blocks of pixels.

    Work items `begin` to `end` are blocks of `block` pixels, whole panels, counted over images.  `bias` has
    zeros for a block, and `panels` is scratch memory for ``[panels, channels + 1, columns · LANES]``.
    """
    lanes, depth = columns * LANES, channels + 1
    blocks = (pixels + block - 1) // block
    for item in range(begin, end):
        image, first = item // blocks, item % blocks * block
        count = min(block, pixels - first)
        for channel in range(depth):
            place, dest = (image * channels + channel) * pixels + first, channel * lanes
            for panel in range(0, count, lanes):
                for n in range(0, lanes, LANES):
                    left = count - panel - n
                    if channel == channels:
                        v = splat(np.float32(1.0))
                    elif left >= LANES:
                        v = load(x, place + panel + n)
                    else:
                        v = load_part(x, place + panel + n, left)
                    store(v, panels, panel * depth + dest + n)
        product_panels(
            columns, address(w, 0), outputs, depth, panels, 0, bias, count, 0, parameters, bias, bias, bias,
            out, image * outputs * pixels + first, pixels,
        )  # fmt: skip


@entry("r", "w", "i", "i", "i")
def channels_first(x: Any, out: Any, channels: int, planes: int, pixels: int, begin: int, end: int) -> None:
    """Transpose planes `begin` to `end`, ``[pixels, channels]``, to channels first; a volume has `planes`."""
    for plane in range(begin, end):
        dest = (plane // planes * channels * planes + plane % planes) * pixels
        transpose_matrix(x, plane * pixels * channels, channels, pixels, channels, out, dest, planes * pixels)
