"""3×3 convolution with stride 1 as 36 matrix products, which need a quarter of the multiplications.

Lavin and Gray 2016; `lite.kernels.cpu.convolution.winograd` has the formula.
"""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.codes import AFFINE, CLAMPED, KIND, POST_AFFINE, RESIDUAL
from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import address, clear, copy, fma, load, load_part, store_part
from lite.kernels.cpu.compiled.microkernels.dense import product
from lite.kernels.cpu.compiled.microkernels.windows import (
    ABOVE,
    BATCH,
    CHANNELS,
    HEIGHT,
    LEFT,
    OUT_CHANNELS,
    OUT_HEIGHT,
    OUT_WIDTH,
    WIDTH,
)
from lite.kernels.cpu.compiled.microkernels.winograd_transforms import transform_input, transform_output
from lite.kernels.cpu.compiled.squeeze_excite import activated
from lite.kernels.cpu.convolution.winograd import ELEMENTS, SIZE, STEP
from lite.kernels.cpu.tile_sizes import LANES


@inner
def _gather(x: Any, n: int, top: int, left: int, geometry: Any, patch: Any) -> None:
    """Copy a window to `patch`, with zeros outside the image."""
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
    x: Any,
    first: int,
    count: int,
    right: int,
    down: int,
    geometry: Any,
    window: Any,
    v: Any,
    start: int,
    step: int,
) -> None:
    """Transform the windows of `count` tiles from tile `first` on to `v`, from index `start` on.

    Tiles are counted over the batch, `right` in a row and `down` rows.  The 36 elements of a tile are
    `step` apart.  `window` is scratch memory for the window of a tile at a border.
    """
    height, width, channels = geometry[HEIGHT], geometry[WIDTH], geometry[CHANNELS]
    for tile in range(count):
        line, column = divmod(first + tile, right)
        n, y = divmod(line, down)
        top, left = y * STEP - geometry[ABOVE], column * STEP - geometry[LEFT]
        origin, row_step = address(x, ((n * height + top) * width + left) * channels), width * channels
        if top < 0 or left < 0 or top + SIZE > height or left + SIZE > width:
            _gather(x, n, top, left, geometry, window)
            origin, row_step = address(window, 0), SIZE * channels
        for channel in range(0, channels, LANES):
            transform_input(
                origin + 4 * channel,
                row_step,
                channels,
                channels - channel,
                v,
                start + tile * channels + channel,
                step,
            )


@inner
def _transform_outputs(
    m: Any, start: int, first: int, count: int, right: int, down: int, step: int, padded: int, geometry: Any,
    bias: Any, residual: Any, scale: Any, shift: Any, parameters: Any, flags: int, pixels: Any, out: Any,
) -> None:  # fmt: skip
    """Transform `count` tiles of `m` from index `start` on to pixels, and apply the epilogue.

    Tiles are `padded` elements apart, and the 36 elements of a tile are `step` apart.  `pixels` is scratch
    memory for the pixels of a tile.
    """
    out_height, out_width, channels = geometry[OUT_HEIGHT], geometry[OUT_WIDTH], geometry[OUT_CHANNELS]
    for tile in range(count):
        line, column = divmod(first + tile, right)
        n, y = divmod(line, down)
        rows, columns = min(STEP, out_height - y * STEP), min(STEP, out_width - column * STEP)
        for channel in range(0, channels, LANES):
            transform_output(m, start + tile * padded + channel, step, bias, channel, pixels)
            left_over = channels - channel
            for i in range(rows):
                dest = ((n * out_height + y * STEP + i) * out_width + column * STEP) * channels + channel
                for j in range(columns):
                    value = load(pixels, (i * STEP + j) * LANES)
                    if flags & RESIDUAL:
                        value = value + load_part(residual, dest, left_over)
                    if flags & CLAMPED or flags >> KIND:
                        value = activated(value, flags, parameters)
                    if flags & (AFFINE | POST_AFFINE):
                        value = fma(value, load(scale, channel), load(shift, channel))
                    store_part(value, out, dest, left_over)
                    dest += channels


@entry("r", "r", "r", "r", "r", "r", "r", "r", "n", "s", "w", "i", "i", "i")
def winograd(
    x: Any, w: Any, bias: Any, zeros: Any, residual: Any, scale: Any, shift: Any, parameters: Any,
    geometry: Any, scratch: Any, out: Any, flags: int, columns: int, block: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Tiles `begin` to `end`, counted over the batch, `block` of them at a time.

    `w` is ``[36, panels, channels, columns · LANES]``.  `scratch` holds first the window of a tile at a
    border, or the pixels of a tile; then the transformed windows of a block of tiles, and then their
    products with the weights.  `zeros` is the bias of the products.
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
        _transform_inputs(x, first, count, right, down, geometry, scratch, scratch, v, block * channels)
        for element in range(ELEMENTS):
            origin, dest = address(scratch, v + element * block * channels), m + element * block * padded
            for channel in range(0, padded, panel):
                product(
                    columns, origin, count, channels, w, (element * padded + channel) * channels, zeros,
                    channel, padded, 0, parameters, scratch, zeros, zeros, scratch, dest + channel, padded,
                )  # fmt: skip
        _transform_outputs(
            scratch, m, first, count, right, down, block * padded, padded, geometry, bias, residual, scale,
            shift, parameters, flags, scratch, out,
        )  # fmt: skip


@entry("r", "n", "s", "w")
def winograd_inputs(x: Any, geometry: Any, scratch: Any, v: Any, begin: int, end: int) -> None:
    """Transform the windows of tiles `begin` to `end` to `v` ``[36, tiles, channels]``."""
    down = (geometry[OUT_HEIGHT] + STEP - 1) // STEP
    right = (geometry[OUT_WIDTH] + STEP - 1) // STEP
    tiles, channels = geometry[BATCH] * down * right, geometry[CHANNELS]
    _transform_inputs(
        x, begin, end - begin, right, down, geometry, scratch, v, begin * channels, tiles * channels
    )


@entry("r", "r", "r", "r", "w", "i", "i", "i", "i")
def winograd_products(
    v: Any, w: Any, zeros: Any, parameters: Any, m: Any, columns: int, tiles: int, channels: int, padded: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """Compute panels `begin` to `end`, counted over the 36 elements, of ``[36, tiles, padded]``."""
    panel = columns * LANES
    panels = padded // panel
    for place in range(begin, end):
        element, channel = place // panels, place % panels * panel
        product(
            columns, address(v, element * tiles * channels), tiles, channels, w,
            (element * padded + channel) * channels, zeros, channel, padded, 0, parameters, m, zeros, zeros,
            m, element * tiles * padded + channel, padded,
        )  # fmt: skip


@entry("r", "r", "r", "r", "r", "r", "n", "s", "w", "i", "i")
def winograd_outputs(
    m: Any, bias: Any, residual: Any, scale: Any, shift: Any, parameters: Any, geometry: Any, scratch: Any,
    out: Any, flags: int, padded: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Transform the products of tiles `begin` to `end` to pixels, and apply the epilogue."""
    down = (geometry[OUT_HEIGHT] + STEP - 1) // STEP
    right = (geometry[OUT_WIDTH] + STEP - 1) // STEP
    tiles = geometry[BATCH] * down * right
    _transform_outputs(
        m, begin * padded, begin, end - begin, right, down, tiles * padded, padded, geometry, bias, residual,
        scale, shift, parameters, flags, scratch, out,
    )  # fmt: skip
