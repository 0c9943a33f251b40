"""3×3 convolution of bytes with stride 1 as 36 matrix products of 16-bit integers; the sums are exact.

`lite.kernels.cpu.quantize.winograd` has the formula.
"""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.codes import KIND, LOOKUP
from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import address
from lite.kernels.cpu.compiled.lookup import look_up_in_place
from lite.kernels.cpu.compiled.microkernels.bytes_in_memory import copy_bytes, fill_bytes
from lite.kernels.cpu.compiled.microkernels.post_activation import apply_post_activation
from lite.kernels.cpu.compiled.microkernels.tiles import FEW, FEW_PIXELS
from lite.kernels.cpu.compiled.microkernels.windows import (
    ABOVE,
    CHANNELS,
    HEIGHT,
    LEFT,
    OUT_CHANNELS,
    OUT_HEIGHT,
    OUT_WIDTH,
    WIDTH,
)
from lite.kernels.cpu.compiled.microkernels.word_tiles import word_tile
from lite.kernels.cpu.compiled.microkernels.word_transforms import (
    transform_bytes,
    transform_sums,
    write_pixels,
)
from lite.kernels.cpu.convolution.winograd import ELEMENTS, SIZE, STEP
from lite.kernels.cpu.tile_sizes import INTEGER_ROWS, LANES

_tile = word_tile(INTEGER_ROWS)


@inner
def _gather(x: Any, n: int, top: int, left: int, geometry: Any, zero: int, window: int) -> None:
    """Copy a window to the address `window`, with the byte `zero` outside the image."""
    height, width, channels = geometry[HEIGHT], geometry[WIDTH], geometry[CHANNELS]
    first = min(max(-left, 0), SIZE)
    last = max(min(SIZE, width - left), first)
    image = address(x, 0)
    for i in range(SIZE):
        target = window + i * SIZE * channels
        if top + i < 0 or top + i >= height:
            fill_bytes(x, target, SIZE * channels, zero)
        else:
            fill_bytes(x, target, first * channels, zero)
            source = image + ((n * height + top + i) * width + left + first) * channels
            copy_bytes(x, target + first * channels, source, (last - first) * channels)
            fill_bytes(x, target + last * channels, (SIZE - last) * channels, zero)


@inner
def _transform_inputs(
    x: Any, first: int, count: int, right: int, down: int, geometry: Any, zero: int, window: int, v: int,
    step: int,
) -> None:  # fmt: skip
    """Transform the windows of `count` tiles from tile `first` on to int16 at the address `v`.

    Tiles are counted over the batch, `right` in a row and `down` rows.  The 36 elements of a tile are `step`
    bytes apart.  `window` is the address of memory for the window of a tile at a border.
    """
    height, width, channels = geometry[HEIGHT], geometry[WIDTH], geometry[CHANNELS]
    image = address(x, 0)
    for tile in range(count):
        line, column = divmod(first + tile, right)
        n, y = divmod(line, down)
        top, left = y * STEP - geometry[ABOVE], column * STEP - geometry[LEFT]
        origin, row_step = image + ((n * height + top) * width + left) * channels, width * channels
        if top < 0 or left < 0 or top + SIZE > height or left + SIZE > width:
            _gather(x, n, top, left, geometry, zero, window)
            origin, row_step = window, SIZE * channels
        channel = 0
        while channel < channels:
            count_left = channels - channel
            transform_bytes(
                x, origin + channel, row_step, channels, count_left, v + 2 * (tile * channels + channel), step
            )
            channel += 2 * LANES if count_left >= 2 * LANES else LANES


@inner
def _multiply(columns: int, x: int, count: int, depth: int, w: Any, place: int, out: int, step: int) -> None:
    """Multiply `count` rows of `depth` pairs, from the address `x` on, by the panel from byte `place` on."""
    rows, kind = INTEGER_ROWS[columns], columns
    if FEW <= count < rows:
        rows, kind = FEW, columns + FEW_PIXELS
    elif count < rows:
        rows, kind = 1, -columns
    row = 0
    while row < count:
        # The last tile is moved back over rows that were computed before.
        start = min(row, count - rows)
        _tile(kind, x + 4 * start * depth, 4 * depth, depth, w, place, out + start * step, step)
        row = start + rows


@inner
def _transform_outputs(
    m: Any, start: int, first: int, count: int, right: int, down: int, step: int, padded: int, geometry: Any,
    vectors: Any, residual: Any, scale: Any, shift: Any, parameters: Any, flags: int, pixels: Any, place: int,
    out: Any, codes: Any, table: Any, out_scale: float, out_zero: float,
) -> None:  # fmt: skip
    """Transform `count` tiles of `m` from index `start` on to pixels, and apply the epilogue.

    Tiles are `padded` elements apart, and the 36 elements of a tile are `step` apart.  `pixels` has scratch
    memory for the pixels of a tile, from index `place` on.
    """
    out_height, out_width, channels = geometry[OUT_HEIGHT], geometry[OUT_WIDTH], geometry[OUT_CHANNELS]
    for tile in range(count):
        line, column = divmod(first + tile, right)
        n, y = divmod(line, down)
        rows, columns = min(STEP, out_height - y * STEP), min(STEP, out_width - column * STEP)
        corner = ((n * out_height + y * STEP) * out_width + column * STEP) * channels
        for channel in range(0, channels, LANES):
            transform_sums(m, start + tile * padded + channel, step, vectors, channel, pixels, place)
            number = STEP if columns == STEP else 1
            for i in range(rows):
                dest = corner + i * out_width * channels + channel
                for j in range(0, columns, number):
                    write_pixels(
                        pixels, place + (i * STEP + j) * LANES, number, channel, channels - channel, flags,
                        parameters, residual, scale, shift, out, codes, out_scale, out_zero,
                        dest + j * channels, channels,
                    )  # fmt: skip
        if flags >> KIND:
            for i in range(rows):
                dest = corner + i * out_width * channels
                apply_post_activation(out, dest, columns, channels, flags, parameters, scale, shift)
        if flags & LOOKUP:
            for i in range(rows):
                look_up_in_place(codes, corner + i * out_width * channels, columns * channels, table)


@entry("b", "b", "r", "r", "r", "r", "r", "n", "s", "w", "c", "b", "i", "i", "i", "i", "f", "f")
def winograd(
    x: Any, w: Any, vectors: Any, residual: Any, scale: Any, shift: Any, parameters: Any, geometry: Any,
    scratch: Any, out: Any, codes: Any, table: Any, flags: int, columns: int, block: int, zero: int,
    out_scale: float, out_zero: float, begin: int, end: int,
) -> None:  # fmt: skip
    """Tiles `begin` to `end`, counted over the batch, `block` of them at a time.

    `w` is ``int16[36, panels, channels / 2, columns · LANES, 2]``.  `scratch` holds the window of a tile at a
    border, then the pixels of a tile, then the transformed windows of a block of tiles as int16, and then
    their products with the weights as int32.
    """
    channels, out_channels = geometry[CHANNELS], geometry[OUT_CHANNELS]
    panel = columns * LANES
    padded = (out_channels + panel - 1) // panel * panel
    down = (geometry[OUT_HEIGHT] + STEP - 1) // STEP
    right = (geometry[OUT_WIDTH] + STEP - 1) // STEP
    pixels = (ELEMENTS * channels + 3) // 4
    v = pixels + STEP * STEP * LANES
    m = v + ELEMENTS * block * (channels // 2)
    depth, window = channels // 2, address(scratch, 0)
    for first in range(begin, end, block):
        count = min(block, end - first)
        _transform_inputs(
            x, first, count, right, down, geometry, zero, window, address(scratch, v), 2 * block * channels
        )
        for element in range(ELEMENTS):
            origin = address(scratch, v + element * block * depth)
            for channel in range(0, padded, panel):
                _multiply(
                    columns, origin, count, depth, w, 4 * (element * padded + channel) * depth,
                    address(scratch, m + element * block * padded + channel), 4 * padded,
                )  # fmt: skip
        _transform_outputs(
            scratch, m, first, count, right, down, block * padded, padded, geometry, vectors, residual, scale,
            shift, parameters, flags, scratch, pixels, out, codes, table, out_scale, out_zero,
        )  # fmt: skip
