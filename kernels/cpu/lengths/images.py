"""Lengths for pooling, resizing, and gates of channels."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lite.kernels.cpu.lengths.rows import ACTIVATION_PARAMETERS
from lite.kernels.cpu.tile_sizes import LANES
from lite.plugin.kernel import Array

SAMPLED_POINTS = 64
"""The points of a work item of `sample_pixels`."""

MOST_REPEATS = 2
"""How often `take_rows` repeats columns without reading which."""

SIZES = 5
"""The elements of `sizes`."""


def pool(
    x: None, out: None, tops: Array, bottoms: Array, lefts: Array, rights: Array, factors: Array, is_max: int,
    lowest: float, sizes: Array, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.pool.pool`."""
    image, result, *bounds = pool_bytes(x, out, tops, bottoms, lefts, rights, sizes, 0, count)
    rows, columns = int(sizes[3]), int(sizes[4])
    return image, result, *bounds[:-1], rows * columns, SIZES


def pool_by_axes(
    x: None, out: None, tops: Array, bottoms: Array, lefts: Array, rights: Array, factors: Array, row: None,
    is_max: int, lowest: float, sizes: Array, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.pool.pool_by_axes`."""
    *arrays, last = pool(x, out, tops, bottoms, lefts, rights, factors, is_max, lowest, sizes, count)
    return *arrays, int(sizes[1] * sizes[2]), last


def pool_bytes(
    x: None, out: None, tops: Array, bottoms: Array, lefts: Array, rights: Array, sizes: Array, flip: int,
    count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.moves.byte_moves.pool`."""
    image, result, rows, columns = _images(sizes, count)
    # Empty ranges may begin anywhere.
    for what, starts, ends, size in (("rows", tops, bottoms, sizes[0]), ("columns", lefts, rights, sizes[1])):
        is_read = starts < ends
        _check_range(what, (starts[is_read], ends[is_read]), int(size) + 1)
    return image, result, rows, rows, columns, columns, SIZES


def take(x: None, out: None, rows: Array, columns: Array, sizes: Array, count: int) -> Sequence[int]:
    """`compiled.resize.take`."""
    image, result, out_rows, out_columns = _images(sizes, count)
    _check_range("rows", (rows,), int(sizes[0]))
    _check_range("columns", (columns,), int(sizes[1]))
    return image, result, out_rows, out_columns, SIZES


def take_rows(
    x: None, out: None, rows: Array, columns: Array, width: int, out_width: int, repeats: int, count: int
) -> Sequence[int]:
    """`compiled.resize.take_rows`."""
    height = int(rows.max(initial=0)) + 1
    _check_range("rows", (rows,), height)
    _check_range("columns", (columns,), width)
    if repeats and (repeats > MOST_REPEATS or repeats * width != out_width):
        raise ValueError(f"cannot repeat {width} columns {repeats} times for {out_width}")
    return height * width, count * out_width, count, 0 if repeats else out_width


def combine_lines(
    x: None, out: None, starts: Array, counts: Array, weights: Array, taps: int, size: int, outs: int,
    width: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.resize.combine_lines`."""
    if counts.min() < 0 or counts.max() > taps:
        raise ValueError(f"there are 0 to {taps} taps")
    _check_range("taps", (starts[counts > 0], (starts + counts - 1)[counts > 0]), size)
    return -(-count // outs) * size * width, count * width, outs, outs, outs * taps


def combine_elements(
    x: None, out: None, starts: Array, counts: Array, weights: Array, taps: int, size: int, outs: int,
    count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.resize.combine_elements`."""
    return combine_lines(x, out, starts, counts, weights, taps, size, outs, 1, count * outs)


def blend(
    x: None, out: None, tops: Array, bottoms: Array, down: Array, lefts: Array, rights: Array, right: Array,
    sizes: Array, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.resize.blend`."""
    image, result, rows, columns = _images(sizes, count)
    _check_range("rows", (tops, bottoms), int(sizes[0]))
    _check_range("columns", (lefts, rights), int(sizes[1]))
    return image, result, rows, rows, rows, columns, columns, columns, SIZES


def _images(sizes: Array, count: int) -> tuple[int, int, int, int]:
    """The elements of the images and of the result, and the result's rows and columns."""
    height, width, channels, rows, columns = sizes.tolist()
    return count // rows * height * width * channels, count * columns * channels, rows, columns


def _check_range(what: str, indices: Sequence[Array], end: int) -> None:
    """Raise `ValueError` unless all indices are in the range 0 to `end`, without the end."""
    for each in indices:
        if each.size and (each.min() < 0 or each.max() >= end):
            raise ValueError(
                f"indices of {what} are in the range 0 to {end - 1}, got {each.min()} to {each.max()}"
            )


def channel_sums(
    x: None, totals: Array, pixels: int, chunks: int, channels: int, width: int, count: int
) -> Sequence[int]:
    """`compiled.squeeze_excite.channel_sums`."""
    padded = -(-channels // LANES) * LANES
    return count // chunks * pixels * channels, (count - 1) * width + padded


def gates(
    totals: Array, first: int, last: int, pixels: float, squeeze: Array, squeeze_bias: Array, excite: Array,
    excite_bias: Array, squeeze_flags: int, squeeze_parameters: Array, excite_flags: int,
    excite_parameters: Array, scale: Array, shift: Array, gate: Array, inner_size: int, width: int,
    count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.squeeze_excite.gates`."""
    matrix = inner_size * width
    return (
        last * width, matrix, inner_size, matrix, width, ACTIVATION_PARAMETERS, ACTIVATION_PARAMETERS, width,
        width, width,
    )  # fmt: skip


def scale_channels(x: None, gate: Array, out: None, channels: int, first: int, count: int) -> Sequence[int]:
    """`compiled.squeeze_excite.scale_channels`."""
    elements = (first + count) * channels
    return elements, -(-channels // LANES) * LANES, elements


def grid_taps(
    grid: None, places: None, weights: None, height: int, width: int, nearest: int, padding: int,
    corners: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.sampling.grid_taps`."""
    return 2 * count, 4 * count, 4 * count


def image_taps(
    grid: None, places: None, weights: None, axis_places: None, axis_weights: None, height: int, width: int,
    taps: int, padding: int, corners: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.sampling.image_taps`."""
    return 2 * count, taps * taps * count, taps * taps * count, 8 * count, 8 * count


def sample_pixels(
    x: None, places: None, weights: None, block: None, out: None, channels: int, pixels: int, points: int,
    taps: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.sampling.sample_pixels`; the places are those of `image_taps` or `grid_taps`."""
    images = count // -(-points // SAMPLED_POINTS)
    every = images * points * taps
    return (
        images * pixels * channels, every, every, min(SAMPLED_POINTS, points) * channels,
        images * channels * points,
    )  # fmt: skip


def sample_planes(
    x: None, places: None, weights: None, out: None, channels: int, pixels: int, points: int, count: int
) -> Sequence[int]:
    """`compiled.sampling.sample_planes`; the places are those of `grid_taps`."""
    taps = 4 * points * -(-count // channels)
    return count * pixels, taps, taps, count * points


def roi_taps(
    boxes: None, places: None, weights: None, height: int, width: int, rows: int, columns: int, samples: int,
    parts: int, scale: float, aligned: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.sampling.roi_taps`."""
    taps = 4 * samples * samples * rows * columns * count
    return 4 * count, taps, taps


def roi_bins(
    x: None, images: None, places: None, weights: None, out: None, batch: int, channels: int, pixels: int,
    bins: int, taps: int, is_max: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.sampling.roi_bins`; the caller checks that `images` are below `batch`."""
    every = count * bins * taps
    return batch * channels * pixels, count, every, every, count * channels * bins


def roi_pixels(
    x: None, images: None, places: None, weights: None, block: None, out: None, batch: int, channels: int,
    pixels: int, bins: int, taps: int, is_max: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.sampling.roi_pixels`; the caller checks that `images` are below `batch`."""
    boxes = count // -(-bins // SAMPLED_POINTS)
    every = boxes * bins * taps
    return (
        batch * channels * pixels, boxes, every, every, min(SAMPLED_POINTS, bins) * channels,
        boxes * channels * bins,
    )  # fmt: skip


def fold(x: None, out: None, sizes: Array, count: int) -> Sequence[int]:
    """`compiled.fold.fold`."""
    height, width, *block, rows, columns, down, right, _, _, _, _ = sizes.tolist()
    if min(down, right) < 1:
        raise ValueError(f"strides are positive, got {down} and {right}")
    return count * math.prod(block) * rows * columns, count * height * width, 12


def affine_grid(
    theta: None, out: None, depths: None, heights: None, widths: None, depth: int, height: int, width: int,
    rank: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.sampling.affine_grid`."""
    if rank not in (2, 3):
        raise ValueError(f"positions have 2 or 3 coordinates, got {rank}")
    matrices = -(-count // (depth * height)) * rank * (rank + 1)
    return matrices, count * width * rank, depth, height, width
