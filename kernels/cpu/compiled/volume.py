"""Convolution of volumes: dense ones are padded and transposed to channels last first, others are not."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.codes import CLAMPED, HIGH, LOW
from lite.kernels.cpu.compiled.jit.decorators import inlined, inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import (
    address,
    clear,
    fma,
    larger,
    load,
    smaller,
    splat,
    store,
)
from lite.kernels.cpu.compiled.microkernels.channel_phases import pad_channel, rows_and_columns
from lite.kernels.cpu.compiled.microkernels.copy_row import copy_row
from lite.kernels.cpu.compiled.microkernels.dense import tile, tile_for
from lite.kernels.cpu.compiled.microkernels.plane_tiles import PLANE_TAPS, convolve_planes
from lite.kernels.cpu.compiled.microkernels.tiles import FEW
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
    PADDED_DEPTH,
    PADDED_HEIGHT,
    PADDED_WIDTH,
    RIGHT,
    RIGHT_STRIDE,
    WIDTH,
)
from lite.kernels.cpu.compiled.moves.transpose import transpose_matrix
from lite.kernels.cpu.tile_sizes import LANES, PLANES, ROW_VECTORS, ROWS


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
    for line in range(begin, end):
        y, plane = line % geometry[OUT_HEIGHT], line // geometry[OUT_HEIGHT]
        z, n = plane % geometry[OUT_DEPTH], plane // geometry[OUT_DEPTH]
        y, z = y * geometry[DOWN_STRIDE], z * geometry[IN_STRIDE]
        near, far = _inside(z - geometry[FRONT], geometry[DEPTH], geometry[IN], geometry[IN_DILATION])
        top, bottom = 0, geometry[DOWN]
        if far - near == 1:
            # Only taps that follow each other can be left out.
            top, bottom = _inside(y - geometry[ABOVE], geometry[HEIGHT], bottom, geometry[DOWN_DILATION])
        z, y = z + near * geometry[IN_DILATION], y + top * geometry[DOWN_DILATION]
        source = (n * geometry[PADDED_DEPTH] + z) * in_step + y * down_step
        skipped = (near * geometry[DOWN] + top) * depth * panel
        for channel in range(0, out_channels, panel):
            column = 0
            while column < out_width:
                rows, kind = _tile_for(columns, out_width, out_width - column)
                # The last tile of a row is moved back over pixels that were computed before.
                start = min(column, out_width - rows)
                column = start + rows
                tile(
                    kind, address(x, source + start * pixel_step), pixel_step,
                    geometry[IN_DILATION] * in_step, geometry[DOWN_DILATION] * down_step,
                    far - near, bottom - top, depth, depth, w, channel * taps + skipped, bias, channel,
                    out_channels - channel, CLAMPED, parameters, bias, bias, bias, out,
                    (line * out_width + start) * out_channels + channel, out_channels,
                )  # fmt: skip


@inner
def _inside(first: int, size: int, taps: int, dilation: int) -> tuple[int, int]:
    """The first tap inside an axis and the one after the last, at least one; tap 0 is at `first`."""
    before = min(max((dilation - 1 - first) // dilation, 0), taps - 1)
    after = min(max((size - first + dilation - 1) // dilation, 0), taps)
    return before, max(after, before + 1)


@inner
def _tile_for(columns: int, width: int, left: int) -> tuple[int, int]:
    """The pixels of the next tile for `left` of `width` pixels of a row, and what selects it."""
    rows = ROWS[columns]
    is_two_few = rows < left <= 2 * FEW
    if width >= rows and left > FEW and not is_two_few:
        return rows, columns
    return tile_for(columns, min(width, FEW))


@entry("r", "r", "r", "r", "n", "n", "s", "w")
def convolve_channels(
    x: Any, w: Any, bias: Any, parameters: Any, geometry: Any, places: Any, volume: Any, out: Any,
    begin: int, end: int,
) -> None:  # fmt: skip
    """Channels `begin` to `end`, counted over the batch, each with a filter of its own, between two limits.

    `x` is ``[batch, CHANNELS, DEPTH, HEIGHT, WIDTH]`` and `w` ``[CHANNELS, taps]``.  In a padded plane, the
    rows, and in them the columns, whose numbers have the same remainder by the stride lie together.  Windows
    of any stride then read neighbouring elements for neighbouring outputs, and a plane of outputs is one long
    row, with some outputs between its rows that do not count.  `places` is where the taps of the first window
    lie.  `volume` is scratch memory for a padded channel, for what the last vectors read after it, and for
    the long rows of `PLANES` planes.
    """
    rows, columns = rows_and_columns(geometry)
    plane = rows * geometry[DOWN_STRIDE] * columns * geometry[RIGHT_STRIDE]
    taps, width = geometry[IN] * geometry[DOWN] * geometry[RIGHT], geometry[OUT_WIDTH]
    length = (geometry[OUT_HEIGHT] - 1) * columns + width
    step = length + ROW_VECTORS * LANES
    lines = geometry[PADDED_DEPTH] * plane + ROW_VECTORS * LANES
    is_dense = geometry[IN_STRIDE] == geometry[IN_DILATION] == 1
    low, high = splat(parameters[LOW]), splat(parameters[HIGH])
    for item in range(begin, end):
        channel = item % geometry[CHANNELS]
        source = item * geometry[DEPTH] * geometry[HEIGHT] * geometry[WIDTH]
        pad_channel(x, source, geometry, volume, 0)
        z = 0
        while z < geometry[OUT_DEPTH]:
            count, start = 1, z * geometry[IN_STRIDE] * plane
            weight, offset = channel * taps, bias[channel]
            if is_dense and geometry[IN] == PLANE_TAPS and z + PLANES <= geometry[OUT_DEPTH]:
                count = PLANES
                for column in range(0, length, 2 * LANES):
                    convolve_planes(
                        volume, start + column, plane, places, w, weight, taps // PLANE_TAPS, offset,
                        low, high, lines + column, step,
                    )  # fmt: skip
            else:
                _long_row(volume, start, places, w, weight, taps, offset, low, high, length, lines)
            dest = (item * geometry[OUT_DEPTH] + z) * geometry[OUT_HEIGHT] * width
            for n in range(count):
                for y in range(geometry[OUT_HEIGHT]):
                    copy_row(volume, lines + n * step + y * columns, out, dest, width)
                    dest += width
            z += count


@inlined
def _long_row(
    volume: Any, start: int, places: Any, w: Any, weight: int, taps: int, bias: float, low: Any, high: Any,
    length: int, line: int,
) -> None:  # fmt: skip
    """`length` neighbouring outputs of a channel, and some more to whole vectors, from `line` on."""
    column = 0
    while column + 2 * LANES < length:
        a = b = c = d = e = f = g = h = splat(bias)
        for tap in range(taps):
            factor, at = splat(w[weight + tap]), start + column + places[tap]
            a = fma(load(volume, at), factor, a)
            b = fma(load(volume, at + LANES), factor, b)
            c = fma(load(volume, at + 2 * LANES), factor, c)
            d = fma(load(volume, at + 3 * LANES), factor, d)
            e = fma(load(volume, at + 4 * LANES), factor, e)
            f = fma(load(volume, at + 5 * LANES), factor, f)
            g = fma(load(volume, at + 6 * LANES), factor, g)
            h = fma(load(volume, at + 7 * LANES), factor, h)
        store(smaller(larger(a, low), high), volume, line + column)
        store(smaller(larger(b, low), high), volume, line + column + LANES)
        store(smaller(larger(c, low), high), volume, line + column + 2 * LANES)
        store(smaller(larger(d, low), high), volume, line + column + 3 * LANES)
        store(smaller(larger(e, low), high), volume, line + column + 4 * LANES)
        store(smaller(larger(f, low), high), volume, line + column + 5 * LANES)
        store(smaller(larger(g, low), high), volume, line + column + 6 * LANES)
        store(smaller(larger(h, low), high), volume, line + column + 7 * LANES)
        column += ROW_VECTORS * LANES
    while column < length:
        a = b = splat(bias)
        for tap in range(taps):
            factor, at = splat(w[weight + tap]), start + column + places[tap]
            a = fma(load(volume, at), factor, a)
            b = fma(load(volume, at + LANES), factor, b)
        store(smaller(larger(a, low), high), volume, line + column)
        store(smaller(larger(b, low), high), volume, line + column + LANES)
        column += 2 * LANES


@entry("r", "w", "i", "i", "i")
def channels_first(x: Any, out: Any, channels: int, planes: int, pixels: int, begin: int, end: int) -> None:
    """Transpose planes `begin` to `end`, ``[pixels, channels]``, to channels first; a volume has `planes`."""
    for plane in range(begin, end):
        dest = (plane // planes * channels * planes + plane % planes) * pixels
        transpose_matrix(x, plane * pixels * channels, channels, pixels, channels, out, dest, planes * pixels)
