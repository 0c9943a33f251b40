"""3×3 convolution with stride 1 as 36 matrix products: a quarter of the multiplications."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.dense import ROWS, single, wide
from lite.kernels.cpu.compiled.jit import entry, inner
from lite.kernels.cpu.compiled.late import finish_late
from lite.kernels.cpu.compiled.machine import LANES
from lite.kernels.cpu.compiled.squeeze_excite import activated
from lite.kernels.cpu.compiled.vector import address, clear, copy, fma, load, load_part, store_part
from lite.kernels.cpu.compiled.windows import ABOVE, CHANNELS, HEIGHT, LEFT, OUT_CHANNELS, OUT_HEIGHT, OUT_WIDTH, WIDTH
from lite.kernels.cpu.compiled.winograd_transforms import SIZE, STEP, transform_input, transform_output
from lite.kernels.cpu.flags import AFFINE, CLAMPED, KIND, RESIDUAL

ELEMENTS = SIZE * SIZE


@inner
def _gather(x: Any, n: int, top: int, left: int, geometry: Any, patch: Any) -> None:
    """Copy a window into `patch`, with zeros outside the image."""
    height, width, channels = geometry[HEIGHT], geometry[WIDTH], geometry[CHANNELS]
    first = min(max(-left, 0), SIZE)
    last = max(min(SIZE, width - left), first)
    for i in range(SIZE):
        target = i * SIZE * channels
        if top + i < 0 or top + i >= height:
            clear(patch, target, SIZE * channels)
        else:
            clear(patch, target, first * channels)
            source = ((n * height + top + i) * width + left + first) * channels
            copy(patch, target + first * channels, x, source, (last - first) * channels)
            clear(patch, target + last * channels, (SIZE - last) * channels)


@inner
def _transform_inputs(x: Any, n: int, y: int, first: int, count: int, geometry: Any, patch: Any, v: Any, step: int) -> None:
    """Write tiles `first` to ``first + count`` of a row of tiles to `v` ``[36, tiles, channels]``."""
    height, width, channels = geometry[HEIGHT], geometry[WIDTH], geometry[CHANNELS]
    top = y * STEP - geometry[ABOVE]
    for tile in range(count):
        left = (first + tile) * STEP - geometry[LEFT]
        origin, row_step = address(x, ((n * height + top) * width + left) * channels), width * channels
        if top < 0 or left < 0 or top + SIZE > height or left + SIZE > width:
            _gather(x, n, top, left, geometry, patch)
            origin, row_step = address(patch, 0), SIZE * channels
        for channel in range(0, channels, LANES):
            transform_input(
                origin + 4 * channel, row_step, channels, channels - channel, v, tile * channels + channel, step
            )


@inner
def _transform_outputs(
    m: Any, n: int, y: int, first: int, count: int, step: int, room: int, geometry: Any, bias: Any, residual: Any,
    scale: Any, shift: Any, parameters: Any, flags: int, pixels: Any, out: Any,
) -> None:  # fmt: skip
    """Write the pixels of tiles `first` to ``first + count`` from `m` ``[36, tiles, room]``."""
    out_height, out_width, channels = geometry[OUT_HEIGHT], geometry[OUT_WIDTH], geometry[OUT_CHANNELS]
    rows = min(STEP, out_height - y * STEP)
    for tile in range(count):
        left = (first + tile) * STEP
        columns = min(STEP, out_width - left)
        for channel in range(0, channels, LANES):
            transform_output(m, tile * room + channel, step, bias, channel, pixels)
            left_over = channels - channel
            for i in range(rows):
                goal = ((n * out_height + y * STEP + i) * out_width + left) * channels + channel
                for j in range(columns):
                    value = load(pixels, (i * STEP + j) * LANES)
                    if flags & RESIDUAL:
                        value = value + load_part(residual, goal, left_over)
                    if flags & CLAMPED:
                        value = activated(value, flags, parameters)
                    if flags & AFFINE:
                        value = fma(value, load(scale, channel), load(shift, channel))
                    store_part(value, out, goal, left_over)
                    goal += channels


@entry("r4", "r1", "r1", "r1", "r4", "r1", "r1", "r1", "n", "w1", "w1", "w1", "w1", "w4", "i", "i", "i", "i", "i")
def winograd(
    x: Any, w: Any, bias: Any, zeros: Any, residual: Any, scale: Any, shift: Any, parameters: Any, geometry: Any,
    patch: Any, v: Any, m: Any, pixels: Any, out: Any, flags: int, columns: int, block: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Rows of tiles `begin` to `end`, counted over the batch, `block` tiles at a time.

    `w` is ``[36, panels, channels, columns · LANES]``; `v` and `m` have room for the 36 elements of a block of
    tiles, before and behind the products; `zeros` are as many as there are channels.
    """
    channels, out_channels = geometry[CHANNELS], geometry[OUT_CHANNELS]
    rows, panel = ROWS[columns], columns * LANES
    room = (out_channels + panel - 1) // panel * panel
    tiles_down = (geometry[OUT_HEIGHT] + STEP - 1) // STEP
    tiles_right = (geometry[OUT_WIDTH] + STEP - 1) // STEP
    for line in range(begin, end):
        n, y = divmod(line, tiles_down)
        for first in range(0, tiles_right, block):
            count = min(block, tiles_right - first)
            _transform_inputs(x, n, y, first, count, geometry, patch, v, block * channels)
            whole = count if count >= rows else 0
            for element in range(ELEMENTS):
                source, goal = element * block * channels, element * block * room
                for channel in range(0, room, panel):
                    place = (element * room + channel) * channels
                    row = 0
                    while row < whole:
                        start = min(row, whole - rows)
                        row = start + rows
                        wide(columns, address(v, source + start * channels), channels, 0, 0, 1, 1, channels, w, place,
                             zeros, channel, room, 0, parameters, m, zeros, zeros, m, goal + start * room + channel,
                             room)  # fmt: skip
                    for start in range(whole, count):
                        single(columns, address(v, source + start * channels), channels, 0, 0, 1, 1, channels, w, place,
                               zeros, channel, room, 0, parameters, m, zeros, zeros, m, goal + start * room + channel,
                               room)  # fmt: skip
            _transform_outputs(m, n, y, first, count, block * room, room, geometry, bias, residual, scale, shift,
                               parameters, flags, pixels, out)  # fmt: skip
        if flags >> KIND:
            rows_done = min(STEP, geometry[OUT_HEIGHT] - y * STEP)
            start = (n * geometry[OUT_HEIGHT] + y * STEP) * geometry[OUT_WIDTH]
            finish_late(out, start * out_channels, rows_done * geometry[OUT_WIDTH], out_channels, flags, parameters,
                        scale, shift)  # fmt: skip
