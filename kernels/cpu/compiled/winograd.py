"""3×3 convolution with stride 1 as 36 matrix products: a quarter of the multiplications."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.dense import product
from lite.kernels.cpu.compiled.entry import entry
from lite.kernels.cpu.compiled.jit import inner
from lite.kernels.cpu.compiled.squeeze_excite import activated
from lite.kernels.cpu.compiled.vector import address, clear, copy, fma, load, load_part, store_part
from lite.kernels.cpu.compiled.windows import (
    ABOVE,
    CHANNELS,
    HEIGHT,
    LEFT,
    OUT_CHANNELS,
    OUT_HEIGHT,
    OUT_WIDTH,
    WIDTH,
)
from lite.kernels.cpu.compiled.winograd_transforms import transform_input, transform_output
from lite.kernels.cpu.flags import AFFINE, CLAMPED, KIND, LATE_AFFINE, RESIDUAL
from lite.kernels.cpu.tile_sizes import LANES
from lite.kernels.cpu.winograd import ELEMENTS, SIZE, STEP


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
def _transform_inputs(
    x: Any, first: int, count: int, right: int, down: int, geometry: Any, room: Any, v: int, step: int
) -> None:
    """Write `count` tiles, numbered over the batch with `right` in a row and `down` rows, to `room`.

    Its beginning is for a window at the border, from index `v` on are the results.
    """
    height, width, channels = geometry[HEIGHT], geometry[WIDTH], geometry[CHANNELS]
    for tile in range(count):
        line, column = divmod(first + tile, right)
        n, y = divmod(line, down)
        top, left = y * STEP - geometry[ABOVE], column * STEP - geometry[LEFT]
        origin, row_step = address(x, ((n * height + top) * width + left) * channels), width * channels
        if top < 0 or left < 0 or top + SIZE > height or left + SIZE > width:
            _gather(x, n, top, left, geometry, room)
            origin, row_step = address(room, 0), SIZE * channels
        for channel in range(0, channels, LANES):
            transform_input(
                origin + 4 * channel,
                row_step,
                channels,
                channels - channel,
                room,
                v + tile * channels + channel,
                step,
            )


@inner
def _transform_outputs(
    room: Any, m: int, first: int, count: int, right: int, down: int, step: int, padded: int, geometry: Any,
    bias: Any, residual: Any, scale: Any, shift: Any, parameters: Any, flags: int, out: Any,
) -> None:  # fmt: skip
    """Write the pixels of `count` tiles ``[36, tiles, padded]``, which are in `room` from index `m` on.

    Its beginning is for the pixels of a tile.
    """
    out_height, out_width, channels = geometry[OUT_HEIGHT], geometry[OUT_WIDTH], geometry[OUT_CHANNELS]
    for tile in range(count):
        line, column = divmod(first + tile, right)
        n, y = divmod(line, down)
        rows, columns = min(STEP, out_height - y * STEP), min(STEP, out_width - column * STEP)
        for channel in range(0, channels, LANES):
            transform_output(room, m + tile * padded + channel, step, bias, channel, room)
            left_over = channels - channel
            for i in range(rows):
                goal = ((n * out_height + y * STEP + i) * out_width + column * STEP) * channels + channel
                for j in range(columns):
                    value = load(room, (i * STEP + j) * LANES)
                    if flags & RESIDUAL:
                        value = value + load_part(residual, goal, left_over)
                    if flags & CLAMPED or flags >> KIND:
                        value = activated(value, flags, parameters)
                    if flags & (AFFINE | LATE_AFFINE):
                        value = fma(value, load(scale, channel), load(shift, channel))
                    store_part(value, out, goal, left_over)
                    goal += channels


@entry("r", "r", "r", "r", "r", "r", "r", "r", "n", "s", "w", "i", "i", "i")
def winograd(
    x: Any, w: Any, bias: Any, zeros: Any, residual: Any, scale: Any, shift: Any, parameters: Any,
    geometry: Any, room: Any, out: Any, flags: int, columns: int, block: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Tiles `begin` to `end`, counted over the batch, `block` of them at a time.

    `w` is ``[36, panels, channels, columns · LANES]``.  In `room` are, one behind the other, a border's
    window or a tile's pixels, the 36 elements of a block of tiles before the products, and behind them;
    `zeros` are as many as there are channels.
    """
    channels, out_channels = geometry[CHANNELS], geometry[OUT_CHANNELS]
    panel = columns * LANES
    padded = (out_channels + panel - 1) // panel * panel
    down = (geometry[OUT_HEIGHT] + STEP - 1) // STEP
    right = (geometry[OUT_WIDTH] + STEP - 1) // STEP
    v = SIZE * SIZE * channels + STEP * STEP * LANES
    m = v + ELEMENTS * block * channels
    for first in range(begin, end, block):
        count = min(block, end - first)
        _transform_inputs(x, first, count, right, down, geometry, room, v, block * channels)
        for element in range(ELEMENTS):
            origin, goal = address(room, v + element * block * channels), m + element * block * padded
            for channel in range(0, padded, panel):
                product(
                    columns, origin, count, channels, w, (element * padded + channel) * channels, zeros,
                    channel, padded, 0, parameters, room, zeros, zeros, room, goal + channel, padded,
                )  # fmt: skip
        _transform_outputs(
            room, m, first, count, right, down, block * padded, padded, geometry, bias, residual, scale,
            shift, parameters, flags, out,
        )  # fmt: skip
