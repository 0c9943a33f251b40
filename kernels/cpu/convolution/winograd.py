"""3×3 convolution by Winograd's algorithm: when it pays, and its weights."""

from __future__ import annotations

import numpy as np

from lite.kernels.cpu.convolution.convolution import Sizes, dense_weights
from lite.kernels.cpu.convolution.epilogue import Choice, Epilogue
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext
from lite.plugin.kernel.run_context import PER_ELEMENT

SIZE, STEP = 6, 4
"""Pixels of a tile's window, and of its result, in either direction."""

ELEMENTS = SIZE * SIZE

_winograd = Function("winograd.winograd")
_inputs = Function("winograd.winograd_inputs")
_products = Function("winograd.winograd_products")
_outputs = Function("winograd.winograd_outputs")

_FILTER: Array = np.array([[6, 0, 0], [-4, -4, -4], [-4, 4, -4], [1, 2, 4], [1, -2, 4], [0, 0, 24]]) / 24
"""G of F(4×4, 3×3)."""

_ROOM = 96 * 1024
"""Elements of a block of transformed tiles: less than half a second-level cache."""

_MOST_ROOM = 384 * 1024
"""Elements of all transformed tiles up to which they are multiplied at once: each weight is read once."""

_LEAST_CHANNELS = 16
"""Below, the transforms cost more than the products that are saved."""

_LEAST_TILES = 8
"""Below, the rows of the products are fewer than the registers hold."""


def pays(sizes: Sizes) -> bool:
    """Whether the algorithm fits a convolution, and is faster than sums over its windows."""
    fits = sizes.groups == 1 and all(
        w.kernel == 3 and w.stride == w.dilation == 1 for w in (sizes.down, sizes.right)
    )
    enough = min(sizes.channels, sizes.out_channels) >= _LEAST_CHANNELS and _tiles(sizes) >= _LEAST_TILES
    return fits and enough and min(sizes.out_height, sizes.out_width) >= STEP


def _tiles(sizes: Sizes) -> int:
    return sizes.batch * -(-sizes.out_height // STEP) * -(-sizes.out_width // STEP)


def winograd_weights(weight: Array, lanes: int) -> Array:
    """A filter ``[O, 3, 3, C]`` as ``[36, panels, C, lanes]``, flat."""
    elements = np.einsum("ai,oijc,bj->aboc", _FILTER, weight.astype(np.float64), _FILTER)
    packed = [dense_weights(each[:, None, None, :], 1, lanes) for row in elements for each in row]
    return np.concatenate(packed)


def choose(ctx: PrepareContext, sizes: Sizes, weight: Array) -> Choice:
    """Channels of a tile, and what makes the function."""
    from lite.kernels.cpu.tile_sizes import LANES, columns_for

    columns = columns_for(sizes.out_channels)
    lanes = columns * LANES
    w = ctx.shared(f"winograd {columns}", lambda: winograd_weights(weight, lanes))
    padded = -(-sizes.out_channels // lanes) * lanes
    tiles = _tiles(sizes)
    zeros = np.zeros(padded, np.float32)
    at_once = ELEMENTS * tiles * (sizes.channels + padded) <= _MOST_ROOM
    make = _at_once if at_once else _in_blocks
    return lanes, lambda epilogue: make(ctx, sizes, epilogue, w, zeros, columns)


def _in_blocks(
    ctx: PrepareContext, sizes: Sizes, e: Epilogue, w: Array, zeros: Array, columns: int
) -> KernelFunction:
    """Some tiles at a time, so that they stay in the cache from the image to the pixels."""
    from lite.kernels.cpu.tile_sizes import LANES, ROWS

    rows, tiles, padded = ROWS[columns], _tiles(sizes), len(zeros)
    block = max(_ROOM // (ELEMENTS * (sizes.channels + padded)) // rows, 1) * rows
    block = min(block, -(-tiles // rows) * rows)
    room = ctx.scratch_per_thread(
        ELEMENTS * sizes.channels + STEP * STEP * LANES + ELEMENTS * block * (sizes.channels + padded)
    )
    return _winograd.bind(
        FREE, w, e.bias, zeros, e.residual, e.scale, e.shift, e.parameters, sizes.geometry(), room, FREE,
        e.flags, columns, block, count=tiles, cost=sizes.multiplications // 3, grain=rows,
    )  # fmt: skip


def _at_once(
    ctx: PrepareContext, sizes: Sizes, e: Epilogue, w: Array, zeros: Array, columns: int
) -> KernelFunction:
    """All tiles step by step: threads share the weights, of which there are many more than pixels."""
    from lite.kernels.cpu.tile_sizes import LANES

    tiles, padded, geometry = _tiles(sizes), len(zeros), sizes.geometry()
    v = ctx.scratch((ELEMENTS * tiles * sizes.channels,))
    m = ctx.scratch((ELEMENTS * tiles * padded,))
    room = ctx.scratch_per_thread(max(ELEMENTS * sizes.channels, STEP * STEP * LANES))
    first = _inputs.bind(
        FREE, geometry, room, FREE, count=tiles, cost=PER_ELEMENT * ELEMENTS * tiles * sizes.channels
    )
    second = _products.bind(
        FREE, w, zeros, e.parameters, FREE, columns, tiles, sizes.channels, padded,
        count=ELEMENTS * padded // (columns * LANES), cost=sizes.multiplications // 4,
    )  # fmt: skip
    third = _outputs.bind(
        FREE, e.bias, e.residual, e.scale, e.shift, e.parameters, geometry, room, FREE, e.flags, padded,
        count=tiles, cost=PER_ELEMENT * ELEMENTS * tiles * padded,
    )  # fmt: skip

    def run(image: Array, *beside: Array) -> None:
        first(image, v.array)
        second(v.array, m.array)
        third(m.array, *beside)

    return run
