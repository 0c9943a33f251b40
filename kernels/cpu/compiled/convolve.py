"""Convolution that reads its windows from the image itself, copies them first, or goes tap by tap."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.codes import CONTINUED, KIND
from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import address, clear, copy, load_part, store_part
from lite.kernels.cpu.compiled.microkernels.dense import product_panels, product_part, tile, tile_for
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
    columns_inside,
    gather,
    rows_inside,
)
from lite.kernels.cpu.tile_sizes import LANES, ROWS


@entry("r", "r", "r", "r", "r", "r", "r", "n", "s", "w", "i", "i", "i", "i")
def convolve(
    x: Any, w: Any, bias: Any, residual: Any, scale: Any, shift: Any, parameters: Any, geometry: Any,
    patch: Any, out: Any, flags: int, columns: int, groups: int, strips: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Strips `begin` to `end` of output rows, of which each has `strips`, counted over the batch.

    `w` is ``[groups, panels, DOWN, RIGHT, channels/groups, columns · LANES]``.  A segment of the windows is a
    row where its pixels are neighbours, else a pixel.  `patch` is scratch memory for the windows of one tile.
    """
    channels, width, out_width, out_channels = (
        geometry[CHANNELS],
        geometry[WIDTH],
        geometry[OUT_WIDTH],
        geometry[OUT_CHANNELS],
    )
    per_group, out_per_group = channels // groups, out_channels // groups
    panel = columns * LANES
    padded = (out_per_group + panel - 1) // panel * panel
    pixel_step, column_step = geometry[RIGHT_STRIDE] * channels, geometry[RIGHT_DILATION] * channels
    row_step = geometry[DOWN_DILATION] * width * channels
    right, depth = geometry[RIGHT], per_group
    taps = geometry[DOWN] * right * per_group
    if groups == 1 and geometry[RIGHT_DILATION] == 1:
        right, depth = 1, right * per_group
    rows, kind = ROWS[columns], columns
    if out_width < rows:
        rows, kind = 1, -columns
    span = (rows - 1) * geometry[RIGHT_STRIDE] + (geometry[RIGHT] - 1) * geometry[RIGHT_DILATION] + 1
    inside_first, inside_last = columns_inside(geometry)
    tiles = (out_width + rows - 1) // rows
    for item in range(begin, end):
        line, strip = divmod(item, strips)
        n, y = divmod(line, geometry[OUT_HEIGHT])
        top = y * geometry[DOWN_STRIDE] - geometry[ABOVE]
        skipped, down = rows_inside(top, geometry[DOWN], geometry[DOWN_DILATION], geometry[HEIGHT])
        source = (n * geometry[HEIGHT] + top + skipped * geometry[DOWN_DILATION]) * width * channels
        target = line * out_width * out_channels
        first_column = strip * tiles // strips * rows
        last_column = min((strip + 1) * tiles // strips * rows, out_width)
        column = first_column
        while column < last_column:
            # The last tile of a strip is moved back over pixels that were computed before.
            start = min(column, last_column - rows)
            column = start + rows
            left = start * geometry[RIGHT_STRIDE] - geometry[LEFT]
            origin, step = address(x, source + left * channels), row_step
            if start < inside_first or column > inside_last:
                gather(x, source, row_step, down, left, span, geometry, patch)
                origin, step = address(patch, 0), span * channels
            for group in range(groups):
                for first in range(0, out_per_group, panel):
                    channel = group * padded + first
                    place = channel * taps + skipped * right * depth * panel
                    dest = target + start * out_channels + group * out_per_group + first
                    left_over = out_per_group - first
                    tile(
                        kind, origin + 4 * group * per_group, pixel_step, step, column_step, down, right,
                        depth, depth, w, place, bias, channel, left_over, flags, parameters, residual, scale,
                        shift, out, dest, out_channels,
                    )  # fmt: skip
        if flags >> KIND:
            apply_post_activation(
                out, target + first_column * out_channels, last_column - first_column, out_channels, flags,
                parameters, scale, shift,
            )  # fmt: skip


@entry("r", "r", "r", "r", "r", "r", "r", "n", "s", "w", "i", "i", "i", "i")
def convolve_columns(
    x: Any, w: Any, bias: Any, residual: Any, scale: Any, shift: Any, parameters: Any, geometry: Any,
    windows: Any, out: Any, flags: int, columns: int, block: int, part: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Output pixels `begin` to `end`, counted over the batch, whose windows are copied first.

    This is for rows that are shorter than a tile, or not a multiple of its length, and for weights that the
    caches do not hold.  `windows` is scratch memory for `part` elements of the windows of `block` pixels, a
    multiple of a tile.  One part after the other is copied and multiplied by its rows of the weights.
    """
    out_channels = geometry[OUT_CHANNELS]
    depth = geometry[DOWN] * geometry[RIGHT] * geometry[CHANNELS]
    for first in range(begin, end, block):
        count, dest = min(block, end - first), first * out_channels
        for start in range(0, depth, part):
            length = min(part, depth - start)
            copy_windows(x, geometry, first, count, start, length, windows)
            if length == depth:
                product_panels(
                    columns, address(windows, 0), count, depth, w, 0, bias, 0, out_channels, flags,
                    parameters, residual, scale, shift, out, dest, out_channels,
                )  # fmt: skip
            else:
                product_part(
                    columns, address(windows, 0), length, count, start, length, depth, w, 0, bias, 0,
                    out_channels, flags, parameters, residual, scale, shift, out, dest, out_channels,
                )  # fmt: skip
        if flags >> KIND:
            apply_post_activation(out, dest, count, out_channels, flags, parameters, scale, shift)


@inner
def copy_windows(
    x: Any, geometry: Any, pixel: int, count: int, start: int, length: int, windows: Any
) -> None:
    """Copy elements `start` to ``start + length`` of the windows of `count` pixels, from `pixel` on."""
    width, channels, dilation = geometry[WIDTH], geometry[CHANNELS], geometry[RIGHT_DILATION]
    right, row_size = geometry[RIGHT], geometry[RIGHT] * channels
    for p in range(count):
        line, column = divmod(pixel + p, geometry[OUT_WIDTH])
        n, y = divmod(line, geometry[OUT_HEIGHT])
        left = column * geometry[RIGHT_STRIDE] - geometry[LEFT]
        dest, element = p * length, start
        while element < start + length:
            i, offset = divmod(element, row_size)
            size = min(row_size - offset, start + length - element)
            row = y * geometry[DOWN_STRIDE] - geometry[ABOVE] + i * geometry[DOWN_DILATION]
            source = ((n * geometry[HEIGHT] + row) * width + left) * channels
            if row < 0 or row >= geometry[HEIGHT]:
                clear(windows, dest, size)
            elif dilation == 1 and left >= 0 and left + right <= width:
                copy(windows, dest, x, source + offset, size)
            else:
                done = 0
                while done < size:
                    j, channel = divmod(offset + done, channels)
                    taken, place = min(channels - channel, size - done), left + j * dilation
                    if place < 0 or place >= width:
                        clear(windows, dest + done, taken)
                    else:
                        copy(windows, dest + done, x, source + j * dilation * channels + channel, taken)
                    done += taken
            element += size
            dest += size


@entry("r", "r", "r", "r", "r", "r", "r", "n", "w", "i", "i", "i")
def convolve_taps(
    x: Any, w: Any, bias: Any, residual: Any, scale: Any, shift: Any, parameters: Any, geometry: Any,
    out: Any, flags: int, columns: int, whole: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Output rows `begin` to `end`, counted over the batch, for dilations that leave most taps outside.

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
                    channels, channels, w, place, bias, channel, out_channels - channel, steps, parameters,
                    residual, scale, shift, out, (line * out_width + column) * out_channels + channel,
                    out_channels,
                )  # fmt: skip
                column += size
