"""Sizes of tiles, which are held in registers, and of the work items of compiled functions."""

from __future__ import annotations

from lite.kernels.cpu.machine import cache_elements, first_cache_elements, machine

LANES = machine().lanes
"""Elements of a vector register."""

_FEATURES = frozenset(machine().features.split(","))

HAS_DOT_PRODUCT = "+avxvnni" in _FEATURES or {"+avx512vnni", "+avx512vl"} <= _FEATURES
"""Whether one instruction sums four products of bytes (AVX512-VNNI, AVX-VNNI)."""

HAS_PAIRS = "+avx2" in _FEATURES and LANES == 8 and not HAS_DOT_PRODUCT
"""Whether products of bytes are added in pairs (AVX2), in 16 bits where no sum saturates, else in 32."""

HAS_EXTREMES = "+avx" in _FEATURES
"""Whether one instruction gives the larger or the smaller numbers of two vectors, as that of x86 does."""

HAS_SCALES = "+avx512vl" in _FEATURES
"""Whether one instruction multiplies by powers of two."""

HAS_HALVES = bool(_FEATURES & {"+f16c", "+neon"})
"""Whether one instruction converts vectors of float16 to float32 and back."""

HAS_BYTE_MASKS = {"+avx512bw", "+avx512vl"} <= _FEATURES
"""Whether one instruction loads or stores some bytes of a vector."""

ROWS = (0, 14, 8, 8, 6) if machine().registers > 16 else (0, 8, 6, 4)
"""Pixels of a dense tile by its vectors of channels.

The registers hold the sums, one row of weights, and an element of a pixel.  With one vector of channels, the
rows of more than eight pixels may evict each other from the first-level cache.
"""

ROW_VECTORS = 8
"""The vectors of a block of neighbouring outputs of one channel of a volume."""

PIXEL_CHANNELS = 8 if machine().registers > 16 else 4
"""Channels of a tile of neighbouring outputs."""

PIXEL_VECTORS = 3
"""Vectors of outputs of each channel in such a tile."""

FEW_PIXEL_CHANNELS = 2
"""Channels of a tile for one or two channels."""

FEW_PIXEL_VECTORS = 8 if machine().registers > 16 else 4
"""Vectors of outputs of each channel in such a tile."""

PLANES = 4
"""The planes of a volume whose outputs are computed together."""

INTEGER_ROWS = (0, 6, 6, 3) if HAS_PAIRS else ROWS
"""`ROWS` of tiles of integers; where a sum takes two instructions, registers hold the products, too."""

_PREFERRED = (3, 4, 2) if machine().registers > 16 else (3, 2)
"""The vectors of channels of dense tiles, the fastest first."""

DEPTHS = (0, *(5 * first_cache_elements() // 6 // (n * LANES) for n in range(1, len(ROWS))))
"""Elements of a row that are multiplied at once, by the vectors of channels.

A panel of this depth stays in the first-level cache while one tile after the other reads it.
"""

ROW_BLOCK = cache_elements() // 4
"""Elements of the rows that are multiplied by all panels one after the other."""

DEPTHWISE_ROWS = 8 if machine().registers > 16 else 6
"""Pixels of a depthwise tile."""

FEW_DEPTHWISE_ROWS = 4
"""Pixels of a smaller depthwise tile, for rows that are shorter than a whole one."""

PATCH = first_cache_elements() // 2
"""Elements of windows that are copied at once."""

LARGE_PATCH = 6 * PATCH
"""Elements of windows up to which all of their channels are copied together, which are neighbours."""

TRANSPOSED = 16 * LANES
"""Rows or columns of a work item that transposes a matrix."""

REDUCED_COLUMNS = 64 * LANES
"""Columns of a work item that reduces a matrix along its rows."""

_LEAST_PANELS = 8
"""The fewest panels that threads share instead of the rows, of which there are more."""

BLOCK = 2048
"""Elements that are reduced in float32; the results of blocks are combined in float64."""


def columns_for(channels: int) -> int:
    """The vectors of channels that a dense tile should have, so that few lanes stay empty."""
    vectors = -(-channels // LANES)
    return min(_PREFERRED, key=lambda n: -(-vectors // n) * n) if vectors > 1 else 1


def shared_range(rows: int, tile: int, panels: int, weights: int) -> tuple[int, int, int]:
    """How threads share a product with packed weights: the compiled function's `rows`, its count, its grain.

    They share the rows, with `rows` 0, or the panels: where these are more than the tiles of so many rows,
    or where the caches do not hold the weights, as many float32 numbers, which each thread would read then.
    """
    is_large = weights > cache_elements() // 2 and panels >= _LEAST_PANELS
    return (rows, panels, 1) if panels > -(-rows // tile) or is_large else (0, rows, tile)


def depthwise_rows(width: int) -> int:
    """The pixels of the depthwise tiles for rows of `width` pixels."""
    return next((rows for rows in (DEPTHWISE_ROWS, FEW_DEPTHWISE_ROWS) if width >= rows), 1)
