"""Dense convolution of volumes whose channels stay first: neighbouring outputs read neighbouring inputs."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.codes import HIGH, LOW
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import prefetch, splat
from lite.kernels.cpu.compiled.microkernels.channel_phases import pad_channel, rows_and_columns
from lite.kernels.cpu.compiled.microkernels.copy_row import copy_row
from lite.kernels.cpu.compiled.microkernels.pixel_tiles import pixel_tile
from lite.kernels.cpu.compiled.microkernels.volumes import (
    CHANNELS,
    DEPTH,
    DOWN,
    DOWN_STRIDE,
    HEIGHT,
    IN,
    IN_STRIDE,
    OUT_CHANNELS,
    OUT_DEPTH,
    OUT_HEIGHT,
    OUT_WIDTH,
    PADDED_DEPTH,
    RIGHT,
    RIGHT_STRIDE,
    WIDTH,
)
from lite.kernels.cpu.tile_sizes import (
    FEW_PIXEL_CHANNELS,
    FEW_PIXEL_VECTORS,
    LANES,
    PIXEL_CHANNELS,
    PIXEL_VECTORS,
    ROW_VECTORS,
)

_LINE = 16
"""Elements of a line of memory."""

_tile, _vector = pixel_tile(PIXEL_CHANNELS, PIXEL_VECTORS), pixel_tile(PIXEL_CHANNELS, 1)
_few_tile, _few_vector = pixel_tile(FEW_PIXEL_CHANNELS, FEW_PIXEL_VECTORS), pixel_tile(FEW_PIXEL_CHANNELS, 1)


@entry("r", "w", "n")
def part_channels(x: Any, volume: Any, geometry: Any, begin: int, end: int) -> None:
    """`pad_channel` for the channels `begin` to `end`, counted over the batch."""
    rows, columns = rows_and_columns(geometry)
    size = geometry[PADDED_DEPTH] * rows * geometry[DOWN_STRIDE] * columns * geometry[RIGHT_STRIDE]
    for item in range(begin, end):
        source = item * geometry[DEPTH] * geometry[HEIGHT] * geometry[WIDTH]
        pad_channel(x, source, geometry, volume, item * size)


@entry("r", "r", "r", "r", "n", "n", "n", "s", "w", "i")
def convolve_pixels(
    x: Any, w: Any, bias: Any, parameters: Any, geometry: Any, places: Any, steps: Any, lines: Any, out: Any,
    block: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Planes of outputs, of `block` channels each, between two limits.

    `x` is what `part_channels` writes, and `w` ``[blocks of channels, CHANNELS · taps, block]``.
    A plane of outputs is one long row, with some outputs between its rows that do not count.  `places` is
    where the taps of the first window lie.  `steps` is where the first output lies, and how far those of the
    next channel, plane, row and column are from it.  `lines` is scratch memory for the long rows.  Work items
    `begin` to `end` are the blocks of channels of the planes, counted over the batch.
    """
    rows, columns = rows_and_columns(geometry)
    plane = rows * geometry[DOWN_STRIDE] * columns * geometry[RIGHT_STRIDE]
    taps, width = geometry[CHANNELS] * geometry[IN] * geometry[DOWN] * geometry[RIGHT], geometry[OUT_WIDTH]
    length = (geometry[OUT_HEIGHT] - 1) * columns + width
    step = length + ROW_VECTORS * LANES
    blocks = (geometry[OUT_CHANNELS] + block - 1) // block
    low, high = splat(parameters[LOW]), splat(parameters[HIGH])
    for item in range(begin, end):
        channel = item % blocks * block
        z, n = item // blocks % geometry[OUT_DEPTH], item // blocks // geometry[OUT_DEPTH]
        start = (n * geometry[CHANNELS] * geometry[PADDED_DEPTH] + z * geometry[IN_STRIDE]) * plane
        column, weight = 0, channel * taps
        while column < length:
            first, left = start + column, length - column
            if block == PIXEL_CHANNELS and left > (PIXEL_VECTORS - 1) * LANES:
                _tile(x, first, places, w, weight, taps, bias, channel, low, high, lines, column, step)
                column += PIXEL_VECTORS * LANES
            elif block == PIXEL_CHANNELS:
                _vector(x, first, places, w, weight, taps, bias, channel, low, high, lines, column, step)
                column += LANES
            elif left > (FEW_PIXEL_VECTORS - 1) * LANES:
                _few_tile(x, first, places, w, weight, taps, bias, channel, low, high, lines, column, step)
                column += FEW_PIXEL_VECTORS * LANES
            else:
                _few_vector(x, first, places, w, weight, taps, bias, channel, low, high, lines, column, step)
                column += LANES
        for k in range(min(block, geometry[OUT_CHANNELS] - channel)):
            volume = n * geometry[OUT_CHANNELS] + channel + k
            dest = steps[0] + volume * steps[1] + z * steps[2]
            for y in range(geometry[OUT_HEIGHT]):
                if steps[4] == 1:
                    copy_row(lines, k * step + y * columns, out, dest, width)
                else:
                    for column in range(width):
                        out[dest + column * steps[4]] = lines[k * step + y * columns + column]
                dest += steps[3]


@entry("r", "r", "r", "r", "n", "w", "i", "i", "i", "i")
def convolve_points(
    x: Any, w: Any, bias: Any, parameters: Any, places: Any, out: Any, channels: int, outputs: int,
    pixels: int, group: int, begin: int, end: int,
) -> None:  # fmt: skip
    """``out[n, o, p] = Σ w[o, c] · x[n, c, p] + bias[o]`` between two limits, for tiles of pixels p.

    `w` is ``[blocks, channels, PIXEL_CHANNELS]``, and `places` is where the channels of an image lie.  There
    are at least as many outputs and pixels as in a tile; the last block of outputs and the last tile are
    moved back over those before.  Work items `begin` to `end` are groups of `group` pixels, whole tiles,
    counted over the images.
    """
    size = PIXEL_VECTORS * LANES
    groups = (pixels + group - 1) // group
    low, high = splat(parameters[LOW]), splat(parameters[HIGH])
    for item in range(begin, end):
        image, start = item // groups, item % groups * group
        # The next group comes from memory, row by row.
        for channel in range(channels):
            place = (image * channels + channel) * pixels + start + group
            for n in range(0, min(group, pixels - start - group), _LINE):
                prefetch(x, place + n)
        for block in range((outputs + PIXEL_CHANNELS - 1) // PIXEL_CHANNELS):
            channel = min(block * PIXEL_CHANNELS, outputs - PIXEL_CHANNELS)
            for tile in range(start, min(start + group, pixels), size):
                first = min(tile, pixels - size)
                _tile(
                    x, image * channels * pixels + first, places, w, block * PIXEL_CHANNELS * channels,
                    channels, bias, channel, low, high, out,
                    (image * outputs + channel) * pixels + first, pixels,
                )  # fmt: skip
