"""3×3 convolution with stride 1 as 36 matrix products: a quarter of the multiplications."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.dense import product
from lite.kernels.cpu.compiled.jit import entry, inner
from lite.kernels.cpu.compiled.machine import LANES
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
from lite.kernels.cpu.compiled.winograd_transforms import SIZE, STEP, transform_input, transform_output
from lite.kernels.cpu.flags import AFFINE, CLAMPED, KIND, LATE_AFFINE, RESIDUAL

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
def _transform_inputs(
    x: Any, first: int, count: int, right: int, down: int, geometry: Any, patch: Any, v: Any, step: int
) -> None:
    """Write `count` tiles, numbered over the batch with `right` in a row and `down` rows, to `v`."""
    height, width, channels = geometry[HEIGHT], geometry[WIDTH], geometry[CHANNELS]
    for tile in range(count):
        line, column = divmod(first + tile, right)
        n, y = divmod(line, down)
        top, left = y * STEP - geometry[ABOVE], column * STEP - geometry[LEFT]
        origin, row_step = address(x, ((n * height + top) * width + left) * channels), width * channels
        if top < 0 or left < 0 or top + SIZE > height or left + SIZE > width:
            _gather(x, n, top, left, geometry, patch)
            origin, row_step = address(patch, 0), SIZE * channels
        for channel in range(0, channels, LANES):
            transform_input(
                origin + 4 * channel,
                row_step,
                channels,
                channels - channel,
                v,
                tile * channels + channel,
                step,
            )


@inner
def _transform_outputs(
    m: Any, first: int, count: int, right: int, down: int, step: int, room: int, geometry: Any, bias: Any,
    residual: Any, scale: Any, shift: Any, parameters: Any, flags: int, pixels: Any, out: Any,
) -> None:  # fmt: skip
    """Write the pixels of `count` tiles from `m` ``[36, tiles, room]``."""
    out_height, out_width, channels = geometry[OUT_HEIGHT], geometry[OUT_WIDTH], geometry[OUT_CHANNELS]
    for tile in range(count):
        line, column = divmod(first + tile, right)
        n, y = divmod(line, down)
        rows, columns = min(STEP, out_height - y * STEP), min(STEP, out_width - column * STEP)
        for channel in range(0, channels, LANES):
            transform_output(m, tile * room + channel, step, bias, channel, pixels)
            left_over = channels - channel
            for i in range(rows):
                goal = ((n * out_height + y * STEP + i) * out_width + column * STEP) * channels + channel
                for j in range(columns):
                    value = load(pixels, (i * STEP + j) * LANES)
                    if flags & RESIDUAL:
                        value = value + load_part(residual, goal, left_over)
                    if flags & CLAMPED or flags >> KIND:
                        value = activated(value, flags, parameters)
                    if flags & (AFFINE | LATE_AFFINE):
                        value = fma(value, load(scale, channel), load(shift, channel))
                    store_part(value, out, goal, left_over)
                    goal += channels


@entry(
    "r4", "r1", "r1", "r1", "r4", "r1", "r1", "r1", "n", "w1", "w1", "w1", "w1", "w4", "i", "i", "i", "i", "i"
)
def winograd(
    x: Any, w: Any, bias: Any, zeros: Any, residual: Any, scale: Any, shift: Any, parameters: Any,
    geometry: Any, patch: Any, v: Any, m: Any, pixels: Any, out: Any, flags: int, columns: int, block: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """Tiles `begin` to `end`, counted over the batch, `block` of them at a time.

    `w` is ``[36, panels, channels, columns · LANES]``; `v` and `m` have room for the 36 elements of a block
    of tiles, before and behind the products; `zeros` are as many as there are channels.
    """
    channels, out_channels = geometry[CHANNELS], geometry[OUT_CHANNELS]
    panel = columns * LANES
    room = (out_channels + panel - 1) // panel * panel
    down = (geometry[OUT_HEIGHT] + STEP - 1) // STEP
    right = (geometry[OUT_WIDTH] + STEP - 1) // STEP
    for first in range(begin, end, block):
        count = min(block, end - first)
        _transform_inputs(x, first, count, right, down, geometry, patch, v, block * channels)
        for element in range(ELEMENTS):
            origin, goal = address(v, element * block * channels), element * block * room
            for channel in range(0, room, panel):
                product(
                    columns, origin, count, channels, w, (element * room + channel) * channels, zeros,
                    channel, room, 0, parameters, m, zeros, zeros, m, goal + channel, room,
                )  # fmt: skip
        _transform_outputs(
            m, first, count, right, down, block * room, room, geometry, bias, residual, scale, shift,
            parameters, flags, pixels, out,
        )  # fmt: skip
