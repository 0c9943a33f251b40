"""3×3 convolution of bytes by Winograd's algorithm F(4×4, 3×3) in integers: its weights and its job.

A tile of 4×4 output pixels is ``A^T [(G g G^T) ⊙ (B^T d B)] A`` (A. Lavin and S. Gray, CVPR 2016).  Here the
rows of G are multiplied by ``24 / (6, -4, -4, 1, 1, 24)``, and the columns of A^T by the inverse times 24, so
that all matrices have integers.  With bytes in d and g, the elements of both brackets fit 16 bits:

    |G g G^T| <= 128 · 7 · 7 < 2^15      |B^T d B| <= 255 · 68 < 2^15

The sums of their products are computed modulo 2^32, and so are the output pixels, which then are multiples
of 576 = 9 · 2^6.  A multiplication by the inverse of 9 and a shift leave the exact pixel, if it has at most
26 bits.  Rows of A^T with a common factor are divided by it.
"""

from __future__ import annotations

import numpy as np

from lite.kernels.cpu.convolution.convolution import Sizes
from lite.kernels.cpu.convolution.epilogue import Epilogue, Results
from lite.kernels.cpu.convolution.winograd import ELEMENTS, STEP
from lite.kernels.cpu.lengths.quantized import winograd_scratch
from lite.kernels.cpu.machine import cache_elements
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.job import Job
from lite.plugin.kernel import Array, PrepareContext

_winograd = Function("quantized_winograd.winograd")

_G: Array = np.array([[1, 0, 0], [1, 1, 1], [1, -1, 1], [1, 2, 4], [1, -2, 4], [0, 0, 1]])
"""The transform of the filter, in integers."""

OUTPUT_TRANSFORM = ((6, -4, -4, 1, 1, 0), (0, -2, 2, 1, -1, 0), (0, -1, -1, 1, 1, 0), (0, -1, 1, 2, -2, 6))
"""A^T with the factors of the filter's transform; rows 1, 2 and 3 are divided by 2, 4 and 4."""

HALVINGS = (3, 2, 1, 1)
"""The rows of the result are multiplied by 3 times these powers of 2."""

INVERSE = pow(9, -1, 1 << 32)
"""The inverse of 9 modulo 2^32."""

_MOST = 1 << 25
"""The magnitude of a sum of products, times 2^6, is below 2^31."""

_LEAST_CHANNELS = 16
"""With fewer channels the transforms cost more than the multiplications that they save."""

_LEAST_TILES = 32
"""With fewer tiles, reading the weights, which take eight times the memory, costs as much."""


def is_faster(sizes: Sizes, weight: Array) -> bool:
    """Whether the algorithm is exact for a filter ``int8[O, 3, 3, C]``, and faster than sums of products.

    It is slower than the dot-product instructions of processors that have them.
    """
    from lite.kernels.cpu.tile_sizes import HAS_PAIRS, LANES

    fits = sizes.groups == 1 and all(
        w.kernel == 3 and w.stride == w.dilation == 1 for w in (sizes.down, sizes.right)
    )
    if not (HAS_PAIRS and fits) or sizes.channels % LANES:
        return False
    enough = min(sizes.channels, sizes.out_channels) >= _LEAST_CHANNELS and _tiles(sizes) >= _LEAST_TILES
    return enough and min(sizes.out_height, sizes.out_width) >= STEP and is_exact(weight)


def is_exact(weight: Array) -> bool:
    """Whether all sums of products of bytes and of a filter ``int8[O, …]`` have at most 26 bits."""
    flat = weight.reshape(len(weight), -1).astype(np.int64)
    return bool(max(np.maximum(flat, 0).sum(1).max(), np.maximum(-flat, 0).sum(1).max()) * 255 < _MOST)


def _tiles(sizes: Sizes) -> int:
    return sizes.batch * -(-sizes.out_height // STEP) * -(-sizes.out_width // STEP)


def packed_words(weight: Array, lanes: int) -> Array:
    """Transform and pack a filter ``int8[O, 3, 3, C]`` as ``int16[36, panels, C / 2, lanes, 2]``, as bytes.

    A panel has `lanes` outputs; O is padded with zeros.
    """
    outputs, channels = weight.shape[0], weight.shape[3]
    elements = np.einsum("ai,oijc,bj->aboc", _G, weight.astype(np.int64), _G).astype(np.int16)
    padded = np.zeros((ELEMENTS, -(-outputs // lanes) * lanes, channels), np.int16)
    padded[:, :outputs] = elements.reshape(ELEMENTS, outputs, channels)
    split = padded.reshape(ELEMENTS, -1, lanes, channels // 2, 2).transpose(0, 1, 3, 2, 4)
    return np.ascontiguousarray(split).reshape(-1).view(np.uint8)


def bind(
    ctx: PrepareContext, sizes: Sizes, e: Epilogue, end: Results, weight: Array, vectors: Array, zero: int
) -> Job:
    """The job for an image, a residual if there is one, and the results; `vectors` are those of a product."""
    from lite.kernels.cpu.tile_sizes import INTEGER_ROWS, LANES, columns_for

    columns = columns_for(sizes.out_channels)
    lanes, rows, tiles = columns * LANES, INTEGER_ROWS[columns], _tiles(sizes)
    padded = -(-sizes.out_channels // lanes) * lanes
    w = ctx.shared(f"winograd bytes {columns}", lambda: packed_words(weight, lanes))
    most = 3 * cache_elements() // 8 // (ELEMENTS * (sizes.channels // 2 + padded))
    block = min(max(most // rows, 1), -(-tiles // rows)) * rows
    scratch = ctx.scratch_per_thread(winograd_scratch(sizes.channels, padded, block, LANES))
    return _winograd.bind(
        FREE, w, vectors, e.residual, e.scale, e.shift, e.parameters, sizes.geometry(), scratch, end.out,
        end.codes, end.table, end.flags, columns, block, zero, end.scale, end.zero,
        count=tiles, cost=sizes.multiplications / 8, grain=rows,
    )  # fmt: skip
