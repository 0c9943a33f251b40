"""3×3 convolution by Winograd's algorithm F(4×4, 3×3): when to use it, its weights, and its jobs.

A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks", CVPR 2016.  A tile of 4×4
output pixels is ``A^T [(G g G^T) ⊙ (B^T d B)] A``, with the filter g and the 6×6 window d.  Summed over the
channels, the products of all tiles become one matrix product for each of the 36 elements.
"""

from __future__ import annotations

import numpy as np

from lite.kernels.cpu.convolution.convolution import Sizes
from lite.kernels.cpu.convolution.epilogue import Choice, Epilogue
from lite.kernels.cpu.machine import cache_elements
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext
from lite.plugin.kernel.run_context import PER_ELEMENT

SIZE, STEP = 6, 4
"""Pixels along each axis of a tile's window, and of its output."""

ELEMENTS = SIZE * SIZE

_winograd = Function("winograd.winograd")
_inputs = Function("winograd.winograd_inputs")
_products = Function("winograd.winograd_products")
_outputs = Function("winograd.winograd_outputs")

_G: Array = np.array([[6, 0, 0], [-4, -4, -4], [-4, 4, -4], [1, 2, 4], [1, -2, 4], [0, 0, 24]]) / 24
"""The transform of the filter along one axis."""

_TRANSFORM = np.kron(_G, _G)
"""The transform of the nine elements of a filter to 36."""

_MOST_AT_ONCE = 384 * 1024
"""The most elements of all transformed tiles for which one product takes all tiles and reads weights once."""

_LEAST_CHANNELS = 16
"""With fewer channels the transforms cost more than the multiplications that they save."""

_LEAST_TILES = 8
"""With fewer tiles the matrix products have fewer rows than a tile of `compiled.microkernels.dense`."""


def is_faster(sizes: Sizes) -> bool:
    """Whether the algorithm can compute a convolution, and is faster than sums over its windows."""
    fits = sizes.groups == 1 and all(
        w.kernel == 3 and w.stride == w.dilation == 1 for w in (sizes.down, sizes.right)
    )
    enough = min(sizes.channels, sizes.out_channels) >= _LEAST_CHANNELS and _tiles(sizes) >= _LEAST_TILES
    return fits and enough and min(sizes.out_height, sizes.out_width) >= STEP


def _tiles(sizes: Sizes) -> int:
    return sizes.batch * -(-sizes.out_height // STEP) * -(-sizes.out_width // STEP)


def winograd_weights(weight: Array, lanes: int) -> Array:
    """Transform and pack a filter ``[O, 3, 3, C]`` as ``float32[36, panels, C, lanes]``, flat."""
    outputs, *_, channels = weight.shape
    packed = np.zeros((ELEMENTS, -(-outputs // lanes), channels, lanes), np.float32)
    for panel, first in enumerate(range(0, outputs, lanes)):
        part = weight[first : first + lanes]
        taps = part.transpose(1, 2, 3, 0).reshape(9, -1).astype(np.float64)
        # Not by BLAS, whose threads take longer to meet than these products.
        elements = np.einsum("et,tx->ex", _TRANSFORM, taps)
        packed[:, panel, :, : len(part)] = elements.reshape(ELEMENTS, channels, len(part))
    return packed.reshape(-1)


def choose(ctx: PrepareContext, sizes: Sizes, weight: Array) -> Choice:
    """The `Choice` for these sizes: all tiles at once, or blocks of tiles that fit the cache."""
    from lite.kernels.cpu.tile_sizes import LANES, columns_for

    columns = columns_for(sizes.out_channels)
    lanes = columns * LANES
    w = ctx.shared(f"winograd {columns}", lambda: winograd_weights(weight, lanes))
    padded = -(-sizes.out_channels // lanes) * lanes
    tiles = _tiles(sizes)
    zeros = np.zeros(padded, np.float32)
    at_once = ELEMENTS * tiles * (sizes.channels + padded) <= _MOST_AT_ONCE
    bind = _at_once if at_once else _in_blocks
    return lanes, lambda epilogue: bind(ctx, sizes, epilogue, w, zeros, columns)


def _block_elements() -> int:
    """The elements of a block of transformed tiles: three eighths of the second-level cache."""
    return 3 * cache_elements() // 8


def _in_blocks(
    ctx: PrepareContext, sizes: Sizes, e: Epilogue, w: Array, zeros: Array, columns: int
) -> KernelFunction:
    """Run all steps for one block of tiles, then for the next block."""
    from lite.kernels.cpu.tile_sizes import LANES, ROWS

    rows, tiles, padded = ROWS[columns], _tiles(sizes), len(zeros)
    block = max(_block_elements() // (ELEMENTS * (sizes.channels + padded)) // rows, 1) * rows
    block = min(block, -(-tiles // rows) * rows)
    scratch = ctx.scratch_per_thread(
        ELEMENTS * sizes.channels + STEP * STEP * LANES + ELEMENTS * block * (sizes.channels + padded)
    )
    return _winograd.bind(
        FREE, w, e.bias, zeros, e.residual, e.scale, e.shift, e.parameters, sizes.geometry(), scratch, FREE,
        e.flags, columns, block, count=tiles, cost=sizes.multiplications // 3, grain=rows,
    )  # fmt: skip


def _at_once(
    ctx: PrepareContext, sizes: Sizes, e: Epilogue, w: Array, zeros: Array, columns: int
) -> KernelFunction:
    """Run each step for all tiles; threads divide the weights, which are larger than the tiles."""
    from lite.kernels.cpu.tile_sizes import LANES

    tiles, padded, geometry = _tiles(sizes), len(zeros), sizes.geometry()
    v = ctx.scratch((ELEMENTS * tiles * sizes.channels,))
    m = ctx.scratch((ELEMENTS * tiles * padded,))
    scratch = ctx.scratch_per_thread(max(ELEMENTS * sizes.channels, STEP * STEP * LANES))
    transform_inputs = _inputs.bind(
        FREE, geometry, scratch, FREE, count=tiles, cost=PER_ELEMENT * ELEMENTS * tiles * sizes.channels
    )
    multiply = _products.bind(
        FREE, w, zeros, e.parameters, FREE, columns, tiles, sizes.channels, padded,
        count=ELEMENTS * padded // (columns * LANES), cost=sizes.multiplications // 4,
    )  # fmt: skip
    transform_outputs = _outputs.bind(
        FREE, e.bias, e.residual, e.scale, e.shift, e.parameters, geometry, scratch, FREE, e.flags, padded,
        count=tiles, cost=PER_ELEMENT * ELEMENTS * tiles * padded,
    )  # fmt: skip

    def run(image: Array, *residual_and_out: Array) -> None:
        transform_inputs(image, v.array)
        multiply(v.array, m.array)
        transform_outputs(m.array, *residual_and_out)

    return run
