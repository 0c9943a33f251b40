"""Lengths for convolutions and products of bytes, and for quantisation."""

from __future__ import annotations

from collections.abc import Sequence

from lite.kernels.cpu.codes import AFFINE, LOOKUP, NIBBLES, POST_AFFINE, RESIDUAL, SIGNED_BYTES, SUMS, WIDE
from lite.kernels.cpu.lengths.products import (
    GEOMETRY,
    WINOGRAD_ELEMENTS,
    Geometry,
    padded_channels,
    results,
)
from lite.kernels.cpu.lengths.rows import ACTIVATION_PARAMETERS
from lite.kernels.cpu.tile_sizes import DEPTHWISE_ROWS, LANES
from lite.plugin.kernel import Array


def _epilogue(flags: int, channels: int, padded: int, elements: int) -> tuple[int, int, int, int]:
    """The lengths of residual, scale, shift and parameters."""
    vector = padded if flags & AFFINE else channels if flags & POST_AFFINE else 0
    return elements if flags & RESIDUAL else 0, vector, vector, ACTIVATION_PARAMETERS


def _results(flags: int, elements: int) -> tuple[int, int, int]:
    """The lengths of the results as float32 and as bytes, and of their table."""
    return *results(flags, elements), 256 if flags & LOOKUP else 0


def _words(columns: int, depth: int, rows: int, flags: int) -> int:
    """The float32 numbers in the memory of a panel and of rows that are widened."""
    return 2 * depth * (columns * LANES + rows) if flags & WIDE else 0


def multiply(
    x: None, w: Array, vectors: Array, residual: None, scale: Array | None, shift: Array | None,
    parameters: Array, words: None, out: None, codes: None, table: Array | None, flags: int, columns: int,
    block: int, rows: int, depth: int, channels: int, out_scale: float, out_zero: float, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.quantized.multiply`."""
    padded, rows = padded_channels(channels, columns), rows or count
    elements = rows * channels
    return (
        rows * 4 * depth, 4 * padded * depth, 3 * padded, *_epilogue(flags, channels, padded, elements),
        _words(columns, depth, min(block, rows), flags), *_results(flags, elements),
    )  # fmt: skip


def convolve(
    x: None, w: Array, vectors: Array, residual: None, scale: Array | None, shift: Array | None,
    parameters: Array, geometry: Array, windows: None, out: None, codes: None, table: Array | None,
    flags: int, columns: int, block: int, zero: int, out_scale: float, out_zero: float, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.quantized.convolve`."""
    g = Geometry(geometry)
    padded, depth = padded_channels(g.out_channels, columns), -(-g.down * g.right * g.channels // 4)
    rows = min(block, count)
    windows_length = (block if flags & WIDE else rows) * depth + _words(columns, depth, rows, flags)
    return (
        g.image, 4 * padded * depth, 3 * padded,
        *_epilogue(flags, g.out_channels, padded, g.outputs), GEOMETRY,
        windows_length, *_results(flags, g.outputs),
    )  # fmt: skip


def depthwise(
    x: None, w: Array, bias: Array, residual: None, scale: Array | None, shift: Array | None,
    parameters: Array, geometry: Array, patch: None, out: None, codes: None, table: Array | None, flags: int,
    zero: int, out_scale: float, out_zero: float, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.quantized.depthwise`."""
    g = Geometry(geometry)
    padded = padded_channels(g.channels, 1)
    rows = DEPTHWISE_ROWS if g.out_width >= DEPTHWISE_ROWS else 1
    return (
        g.image, g.down * g.right * padded, padded, *_epilogue(flags, g.channels, padded, g.outputs),
        GEOMETRY, -(-g.patch(rows) // 4), *_results(flags, g.outputs),
    )  # fmt: skip


def winograd_scratch(channels: int, padded: int, block: int, lanes: int) -> int:
    """The float32 numbers of the scratch memory for `block` tiles and one tile's 16 pixels of `lanes`."""
    window = -(-WINOGRAD_ELEMENTS * channels // 4)
    return window + 16 * lanes + WINOGRAD_ELEMENTS * block * (channels // 2 + padded)


def winograd(
    x: None, w: Array, vectors: Array, residual: None, scale: Array | None, shift: Array | None,
    parameters: Array, geometry: Array, scratch: None, out: None, codes: None, table: Array | None,
    flags: int, columns: int, block: int, zero: int, out_scale: float, out_zero: float, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.quantized_winograd.winograd`."""
    g = Geometry(geometry)
    padded = padded_channels(g.out_channels, columns)
    return (
        g.image, 2 * WINOGRAD_ELEMENTS * padded * g.channels, 3 * padded,
        *_epilogue(flags, g.out_channels, padded, g.outputs), GEOMETRY,
        winograd_scratch(g.channels, padded, block, LANES), *_results(flags, g.outputs),
    )  # fmt: skip


def quantize(x: None, out: None, scale: float, zero: float, is_signed: int, count: int) -> Sequence[int]:
    """`compiled.quantize.quantize`."""
    return count, count


def quantize_by(x: None, out: None, numbers: None, count: int) -> Sequence[int]:
    """`compiled.quantize.quantize_by`."""
    return count, count, 2


def quantize_planes(
    x: None, out: None, scales: Array, zeros: Array, channels: int, size: int, is_signed: int, count: int
) -> Sequence[int]:
    """`compiled.quantize.quantize_planes`."""
    planes = min(count, channels)
    return count * size, count * size, planes, planes


def extremes(x: None, out: None, size: int, count: int) -> Sequence[int]:
    """`compiled.quantize.extremes`."""
    return size, 2 * count


def choose_scale(
    ranges: None, numbers: None, scale: None, zero: None, blocks: int, count: int
) -> Sequence[int]:
    """`compiled.quantize.choose_scale`."""
    return 2 * blocks, 2, 1, 1


def dequantize(x: None, out: None, scale: float, zero: float, is_signed: int, count: int) -> Sequence[int]:
    """`compiled.quantize.dequantize`."""
    return count, count


def round_by_range(x: None, out: None, size: int, count: int) -> Sequence[int]:
    """`compiled.quantize.round_by_range`."""
    return size, size


def look_up(x: None, table: Array, out: None, count: int) -> Sequence[int]:
    """`compiled.lookup.look_up`."""
    return count, 256, count


def multiply_stored(
    x: None, w: Array, scales: Array, zeros: Array | None, bias: Array, parameters: Array, panel: None,
    out: None, flags: int, kind: int, columns: int, rows: int, depth: int, scaled: int, blocks: int,
    channels: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.stored.multiply`."""
    padded = padded_channels(channels, columns)
    bits = {NIBBLES: 4, SIGNED_BYTES: 8}.get(kind, 16)
    return (
        rows * depth, padded * ((depth * bits + 7) // 8), padded * blocks,
        padded * blocks if kind == NIBBLES else 0, padded, ACTIVATION_PARAMETERS, depth * columns * LANES,
        rows * channels,
    )  # fmt: skip


def pack_rows(
    x: None, zeros: None, rows: None, terms: None, depth: int, flip: int, zero_count: int, count: int
) -> Sequence[int]:
    """`compiled.integers.pack_rows`."""
    return count * depth, zero_count, count * ((depth + 3) // 4 * 4), 2 * count


def pack_columns(
    y: None, zeros: None, w: None, columns: None, depth: int, channels: int, panel: int, flip: int,
    zero_count: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.integers.pack_columns`."""
    matrices = count // -(-channels // panel)
    return (
        matrices * depth * channels, zero_count, count * panel * ((depth + 3) // 4 * 4), 2 * count * panel,
    )  # fmt: skip


def multiply_integers(
    x: None, terms: None, w: None, columns: None, factors: Array | None, biases: Array | None,
    parameters: Array, out: None, codes: None, sums: None, flags: int, width: int, rows: int, depth: int,
    channels: int, firsts: int, others: int, out_scale: float, out_zero: float, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.integers.multiply`."""
    padded, elements = padded_channels(channels, width), count * channels
    vector = 0 if flags & SUMS else padded
    floats, codes_length = (0, 0) if flags & SUMS else results(flags, elements)
    return (
        firsts * rows * 4 * depth, firsts * rows * 2, others * padded * 4 * depth, others * padded * 2,
        vector, vector, ACTIVATION_PARAMETERS, floats, codes_length, elements if flags & SUMS else 0,
    )  # fmt: skip


def spread_bytes(x: None, zero: None, geometry: Array, out: None, count: int) -> Sequence[int]:
    """`compiled.byte_windows.spread`."""
    g = Geometry(geometry)
    planes = -(-count // (g.down * g.right))
    return planes * g.height * g.width, 1, GEOMETRY, count * g.out_height * g.out_width


def spread(numbers: None, out: None, size: int, channels: int, count: int) -> Sequence[int]:
    """`compiled.integers.spread`."""
    return size, count


def quantize_words(x: None, out: None, scale: float, zero: float, lowest: float, count: int) -> Sequence[int]:
    """`compiled.words.quantize`."""
    return 4 * count, 2 * count


def dequantize_words(
    x: None, out: None, scale: float, zero: float, lowest: float, count: int
) -> Sequence[int]:
    """`compiled.words.dequantize`."""
    return 2 * count, 4 * count
