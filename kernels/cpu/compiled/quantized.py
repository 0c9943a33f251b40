"""Convolutions and products of unsigned bytes in NHWC with signed weights: see `quantized_tiles`."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.codes import KIND, LOOKUP, WIDE
from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import address
from lite.kernels.cpu.compiled.lookup import look_up_in_place
from lite.kernels.cpu.compiled.microkernels.bytes_in_memory import (
    copy_bytes,
    fill_bytes,
    widen_bytes,
    widen_signed,
)
from lite.kernels.cpu.compiled.microkernels.dense import row_range
from lite.kernels.cpu.compiled.microkernels.depthwise_tiles import depthwise_tile
from lite.kernels.cpu.compiled.microkernels.post_activation import apply_post_activation, apply_to_columns
from lite.kernels.cpu.compiled.microkernels.quantized_tiles import quantized_tile
from lite.kernels.cpu.compiled.microkernels.tiles import FEW, FEW_PIXELS
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
    columns_inside,
    rows_inside,
)
from lite.kernels.cpu.tile_sizes import DEPTHWISE_ROWS, HAS_PAIRS, INTEGER_ROWS, LANES

_tile = quantized_tile(INTEGER_ROWS)
_depthwise_tile = depthwise_tile(DEPTHWISE_ROWS, of_bytes=True)


@inner
def _product(
    columns: int, x: int, count: int, depth: int, words: int, w: Any, vectors: Any, channels: int,
    first: int, end: int, flags: int, parameters: Any, residual: Any, scale: Any, shift: Any, out: Any,
    codes: Any, table: Any, out_scale: float, out_zero: float, dest: int,
) -> None:  # fmt: skip
    """Multiply `count` rows of `depth` groups of four bytes, from the address `x` on, by panels.

    These are the panels of channels `first` to `end` of all `channels`.

    With `WIDE`, `words` is the address of memory for a panel and then for the rows, both as int16.
    """
    group = 4
    panel = columns * LANES * depth
    if HAS_PAIRS and flags & WIDE:
        widen_bytes(w, words + 8 * panel, x, 4 * count * depth)
        x, group = words + 8 * panel, 8
    step, kind = INTEGER_ROWS[columns], columns
    if FEW <= count < step:
        step, kind = FEW, columns + FEW_PIXELS
    elif count < step:
        step, kind = 1, -columns
    for channel in range(first, end, columns * LANES):
        weights = address(w, 4 * channel * depth)
        if HAS_PAIRS and flags & WIDE:
            widen_signed(w, words, weights, 4 * panel)
            weights = words
        row = 0
        while row < count:
            # The last tile is moved back over rows that were computed before.
            start = min(row, count - step)
            _tile(
                kind, x + group * start * depth, group * depth, depth, weights, vectors, channel,
                end - channel, flags, parameters, residual, scale, shift, out, codes, out_scale,
                out_zero, dest + start * channels + channel, channels,
            )  # fmt: skip
            row = start + step
    if flags >> KIND:
        apply_to_columns(out, dest, count, channels, first, end, flags, parameters, scale, shift)
    if flags & LOOKUP and end - first == channels:
        look_up_in_place(codes, dest, count * channels, table)
    elif flags & LOOKUP:
        for place in range(dest + first, dest + count * channels, channels):
            look_up_in_place(codes, place, end - first, table)


@entry("b", "b", "r", "r", "r", "r", "r", "s", "w", "c", "b", "i", "i", "i", "i", "i", "i", "f", "f")
def multiply(
    x: Any, w: Any, vectors: Any, residual: Any, scale: Any, shift: Any, parameters: Any, words: Any,
    out: Any, codes: Any, table: Any, flags: int, columns: int, block: int, rows: int, depth: int,
    channels: int, out_scale: float, out_zero: float, begin: int, end: int,
) -> None:  # fmt: skip
    """Rows `begin` to `end` of `x` ``uint8[rows, 4 · depth]`` times the panels `w` of `quantize.packing`.

    Where `rows` is not 0, all of so many rows times the panels `begin` to `end`, as `matmul.multiply` does.
    `block` rows are multiplied by one panel after the other; with `WIDE` both are widened to the
    scratch memory `words` first.
    The results y are ``float32[rows, channels]`` in `out`, or with `QUANTIZED` in `codes` the bytes
    ``round(y · out_scale) + out_zero``, and with `LOOKUP` the bytes ``table[…]`` of these.
    """
    first_row, end_row, channel, end_channel = row_range(rows, columns, channels, begin, end)
    for first in range(first_row, end_row, block):
        _product(
            columns, address(x, 4 * first * depth), min(block, end_row - first), depth, address(words, 0), w,
            vectors, channels, channel, end_channel, flags, parameters, residual, scale, shift, out, codes,
            table, out_scale, out_zero, first * channels,
        )  # fmt: skip


@inner
def _copy_windows(
    x: Any, n: int, y: int, first: int, last: int, geometry: Any, zero: int, target: int, step: int
) -> None:
    """Copy the windows of pixels `first` to `last` of an output row to the address `target`, `step` apart."""
    height, width, channels = geometry[HEIGHT], geometry[WIDTH], geometry[CHANNELS]
    row_bytes, pixel_step = geometry[RIGHT] * channels, geometry[RIGHT_STRIDE] * channels
    # The windows between these columns are inside, and the pixels of their rows are neighbours.
    inside_first, inside_last = columns_inside(geometry)
    inside_first = min(max(inside_first, first), last)
    inside_last = max(min(inside_last, last), inside_first)
    if geometry[RIGHT_DILATION] > 1:
        inside_first = inside_last = last
    for i in range(geometry[DOWN]):
        row = y * geometry[DOWN_STRIDE] - geometry[ABOVE] + i * geometry[DOWN_DILATION]
        dest = target + i * row_bytes
        if row < 0 or row >= height:
            for _ in range(first, last):
                fill_bytes(x, dest, row_bytes, zero)
                dest += step
            continue
        source = address(x, 0) + (n * height + row) * width * channels
        _copy_edges(x, source, first, inside_first, geometry, zero, dest, step)
        dest += (inside_first - first) * step
        place = source + inside_first * pixel_step - geometry[LEFT] * channels
        for _ in range(inside_first, inside_last):
            copy_bytes(x, dest, place, row_bytes)
            place += pixel_step
            dest += step
        _copy_edges(x, source, inside_last, last, geometry, zero, dest, step)


@inner
def _copy_edges(
    x: Any, source: int, first: int, last: int, geometry: Any, zero: int, target: int, step: int
) -> None:
    """Copy a row of the windows of pixels `first` to `last`, pixel by pixel; `source` is the image's row."""
    channels, width = geometry[CHANNELS], geometry[WIDTH]
    for column in range(first, last):
        dest = target + (column - first) * step
        for j in range(geometry[RIGHT]):
            place = column * geometry[RIGHT_STRIDE] - geometry[LEFT] + j * geometry[RIGHT_DILATION]
            if place < 0 or place >= width:
                fill_bytes(x, dest + j * channels, channels, zero)
            else:
                copy_bytes(x, dest + j * channels, source + place * channels, channels)


@entry("b", "b", "r", "r", "r", "r", "r", "n", "s", "w", "c", "b", "i", "i", "i", "i", "f", "f")
def convolve(
    x: Any, w: Any, vectors: Any, residual: Any, scale: Any, shift: Any, parameters: Any, geometry: Any,
    windows: Any, out: Any, codes: Any, table: Any, flags: int, columns: int, block: int, zero: int,
    out_scale: float, out_zero: float, begin: int, end: int,
) -> None:  # fmt: skip
    """Output pixels `begin` to `end`, counted over the batch, of ``uint8[N, HEIGHT, WIDTH, CHANNELS]``.

    The windows of `block` pixels are copied to the scratch memory `windows` first, with the byte `zero`
    outside the image, each with up to three bytes more, any ones, whose weights are 0.  With `WIDE`, a
    panel of the weights and the windows follow there as int16.
    """
    out_width, out_height, out_channels = geometry[OUT_WIDTH], geometry[OUT_HEIGHT], geometry[OUT_CHANNELS]
    depth = (geometry[DOWN] * geometry[RIGHT] * geometry[CHANNELS] + 3) // 4
    start = address(windows, 0)
    for first in range(begin, end, block):
        count = min(block, end - first)
        pixel = 0
        while pixel < count:
            line, column = divmod(first + pixel, out_width)
            n, y = divmod(line, out_height)
            length = min(out_width - column, count - pixel)
            dest = start + 4 * pixel * depth
            _copy_windows(x, n, y, column, column + length, geometry, zero, dest, 4 * depth)
            pixel += length
        _product(
            columns, start, count, depth, start + 4 * block * depth, w, vectors, out_channels, 0,
            out_channels, flags, parameters, residual, scale, shift, out, codes, table, out_scale, out_zero,
            first * out_channels,
        )  # fmt: skip


@entry("b", "r", "r", "r", "r", "r", "r", "n", "s", "w", "c", "b", "i", "i", "f", "f")
def depthwise(
    x: Any, w: Any, bias: Any, residual: Any, scale: Any, shift: Any, parameters: Any, geometry: Any,
    patch: Any, out: Any, codes: Any, table: Any, flags: int, zero: int, out_scale: float, out_zero: float,
    begin: int, end: int,
) -> None:  # fmt: skip
    """Output rows `begin` to `end`, counted over the batch; `w` is ``[DOWN, RIGHT, channels]``, padded.

    The weights are float32 and hold the scales.  `patch` is scratch memory for the windows of one tile.
    """
    channels, width, out_width = geometry[CHANNELS], geometry[WIDTH], geometry[OUT_WIDTH]
    padded = (channels + LANES - 1) // LANES * LANES
    pixel_step, column_step = geometry[RIGHT_STRIDE] * channels, geometry[RIGHT_DILATION] * channels
    row_step = geometry[DOWN_DILATION] * width * channels
    right = geometry[RIGHT]
    rows = DEPTHWISE_ROWS if out_width >= DEPTHWISE_ROWS else 1
    span = (rows - 1) * geometry[RIGHT_STRIDE] + (right - 1) * geometry[RIGHT_DILATION] + 1
    inside_first, inside_last = columns_inside(geometry)
    image, copied = address(x, 0), address(patch, 0)
    for line in range(begin, end):
        n, y = divmod(line, geometry[OUT_HEIGHT])
        top = y * geometry[DOWN_STRIDE] - geometry[ABOVE]
        skipped, down = rows_inside(top, geometry[DOWN], geometry[DOWN_DILATION], geometry[HEIGHT])
        source = image + (n * geometry[HEIGHT] + top + skipped * geometry[DOWN_DILATION]) * width * channels
        column = 0
        while column < out_width:
            # The last tile of a row is moved back over pixels that were computed before.
            start = min(column, out_width - rows)
            column = start + rows
            left = start * geometry[RIGHT_STRIDE] - geometry[LEFT]
            origin, step = source + left * channels, row_step
            if start < inside_first or column > inside_last:
                _gather(x, source, row_step, down, left, span, width, channels, zero, copied)
                origin, step = copied, span * channels
            channel = 0
            while channel < channels:
                count = channels - channel
                _depthwise_tile(
                    rows, origin + channel, pixel_step, step, column_step, down, right, zero, padded, w,
                    skipped * right * padded + channel, bias, channel, count, flags, parameters, residual,
                    scale, shift, out, codes, out_scale, out_zero,
                    (line * out_width + start) * channels + channel, channels,
                )  # fmt: skip
                channel += 2 * LANES if count >= 2 * LANES else LANES
        if flags >> KIND:
            apply_post_activation(
                out, line * out_width * channels, out_width, channels, flags, parameters, scale, shift
            )
        if flags & LOOKUP:
            look_up_in_place(codes, line * out_width * channels, out_width * channels, table)


@inner
def _gather(
    x: Any, source: int, row_step: int, down: int, column: int, span: int, width: int, channels: int,
    zero: int, patch: int,
) -> None:  # fmt: skip
    """Copy `span` pixels of `down` rows to the address `patch`, from `column` on, with `zero` outside."""
    first = min(max(-column, 0), span)
    last = max(min(span, width - column), first)
    for i in range(down):
        target = patch + i * span * channels
        fill_bytes(x, target, first * channels, zero)
        copy_bytes(
            x,
            target + first * channels,
            source + i * row_step + (column + first) * channels,
            (last - first) * channels,
        )
        fill_bytes(x, target + last * channels, (span - last) * channels, zero)
