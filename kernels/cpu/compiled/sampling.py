"""Images read at fractional positions: each sample is a weighted sum of a few pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.codes import BORDER, REFLECTION, ZEROS
from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import fma, load_part, maximum, splat, store_part
from lite.kernels.cpu.compiled.moves.transpose import transpose_matrix
from lite.kernels.cpu.lengths.images import SAMPLED_POINTS
from lite.kernels.cpu.tile_sizes import LANES


@inner
def _position(at: Any, size: int, padding: int, corners: int) -> Any:
    """A position from −1 to 1 in pixels; without `corners`, these are the outer edges of border pixels."""
    one, half = np.float32(1.0), np.float32(0.5)
    place = (
        (at + one) * half * np.float32(size - 1) if corners else ((at + one) * np.float32(size) - one) * half
    )
    if padding == REFLECTION:
        shift = np.float32(0.0) if corners else half
        period = np.float32(2 * (size - 1) if corners else 2 * size)
        if period == 0:
            return np.float32(0.0)
        distance = np.float32(abs(place + shift) % period)
        place = min(distance, period - distance) - shift
    if padding in (REFLECTION, BORDER):
        place = min(max(place, np.float32(0.0)), np.float32(size - 1))
    # Far outside is outside, too, and fits an integer.
    return min(max(place, np.float32(-2.0)), np.float32(size + 1))


@entry("r", "m", "w", "i", "i", "i", "i", "i")
def grid_taps(
    grid: Any, places: Any, weights: Any, height: int, width: int, nearest: int, padding: int, corners: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """The four pixels, and their weights, of positions `begin` to `end`, pairs (x, y) in `grid`.

    Pixels outside the image have weight 0.  `nearest` has one pixel of weight 1.
    """
    half = np.float32(0.5)
    for point in range(begin, end):
        x, y = grid[2 * point], grid[2 * point + 1]
        # A position that is no number gives a sample that is none.
        is_number = x == x and y == y
        x = _position(x if is_number else np.float32(0.0), width, padding, corners)
        y = _position(y if is_number else np.float32(0.0), height, padding, corners)
        left, top = int(np.floor(x + half if nearest else x)), int(np.floor(y + half if nearest else y))
        right, down = x - np.float32(left), y - np.float32(top)
        if nearest:
            right = down = np.float32(0.0)
        for tap in range(4):
            i, j = top + tap // 2, left + tap % 2
            weight = (down if tap // 2 else np.float32(1.0) - down) * (
                right if tap % 2 else np.float32(1.0) - right
            )
            if not is_number:
                weight = np.float32(np.nan)
            if 0 <= i < height and 0 <= j < width:
                places[4 * point + tap], weights[4 * point + tap] = i * width + j, weight
            else:
                places[4 * point + tap] = 0
                weights[4 * point + tap] = np.float32(0.0) * weight


@entry("r", "n", "r", "w", "i", "i", "i")
def sample_planes(
    x: Any, places: Any, weights: Any, out: Any, channels: int, pixels: int, points: int, begin: int, end: int
) -> None:
    """Planes `begin` to `end` of samples: each the sum of four of the plane's pixels times their weights.

    An image has `channels` planes of `pixels` elements, and `points` samples of its own.
    """
    for plane in range(begin, end):
        first, start, dest = plane // channels * points, plane * pixels, plane * points
        for n in range(points):
            tap = 4 * (first + n)
            out[dest + n] = (
                weights[tap] * x[start + places[tap]]
                + weights[tap + 1] * x[start + places[tap + 1]]
                + weights[tap + 2] * x[start + places[tap + 2]]
                + weights[tap + 3] * x[start + places[tap + 3]]
            )


@inner
def _reflected(at: Any, size: int, corners: int) -> Any:
    """A position reflected at the first and the last pixel, or with `corners` 0 at their outer edges."""
    half = np.float32(0.5)
    low, high = (np.float32(0.0), np.float32(size - 1)) if corners else (-half, np.float32(size) - half)
    if high == low:
        return np.float32(0.0)
    if low <= at <= high:
        return at
    twice = np.float32(2.0) * (high - low)
    distance: Any = np.float32((at - low) % twice)
    return low + min(distance, twice - distance)


@inner
def _cubic_weight(t: Any, tap: int) -> Any:
    """The weight of the neighbour `tap` of a position `t` after the second one, with the parameter -0.75."""
    a, one = np.float32(-0.75), np.float32(1.0)
    if tap == 1 or tap == 2:
        x = t if tap == 1 else one - t
        return ((a + np.float32(2.0)) * x - (a + np.float32(3.0))) * x * x + one
    x = t + one if tap == 0 else np.float32(2.0) - t
    return ((a * x - np.float32(5.0) * a) * x + np.float32(8.0) * a) * x - np.float32(4.0) * a


@inner
def _axis_taps(
    at: Any, size: int, taps: int, padding: int, corners: int, places: Any, weights: Any, start: int
) -> None:
    """The `taps` pixels along an axis for a position from −1 to 1, and their weights."""
    half, one = np.float32(0.5), np.float32(1.0)
    at = (at + one) * half * np.float32(size - 1) if corners else ((at + one) * np.float32(size) - one) * half
    at = np.float32(np.rint(at)) if taps == 1 else at
    at = _reflected(at, size, corners) if padding == REFLECTION else at
    low = np.float32(np.floor(at))
    t = at - low
    for tap in range(taps):
        weight = one if taps == 1 else _cubic_weight(t, tap) if taps == 4 else t if tap else one - t
        place = low + np.float32(tap - (1 if taps == 4 else 0))
        if padding == ZEROS:
            # A comparison that is true for NaN, whose weight is NaN.
            is_inside = not (place < 0 or place > size - 1)
            weight = weight if is_inside else np.float32(0.0)
        elif padding == REFLECTION:
            place = np.float32(np.trunc(_reflected(place, size, corners)))
        last = np.float32(size - 1)
        # The last comparison is false for NaN.
        place = min(max(place, np.float32(0.0)), last) if place == place else np.float32(0.0)
        places[start + tap], weights[start + tap] = int(place), weight if at == at else at


@entry("r", "m", "w", "m", "w", "i", "i", "i", "i", "i")
def image_taps(
    grid: Any, places: Any, weights: Any, axis_places: Any, axis_weights: Any, height: int, width: int,
    taps: int, padding: int, corners: int, begin: int, end: int,
) -> None:  # fmt: skip
    """The taps² pixels, and their weights, of positions `begin` to `end`, pairs (x, y) in `grid`.

    1 tap is the nearest pixel, halves rounded to even; 2 are linear, 4 cubic.  `axis_places` and
    `axis_weights` are scratch memory, 8 elements for each position.
    """
    for point in range(begin, end):
        down, right = 8 * point, 8 * point + 4
        _axis_taps(grid[2 * point + 1], height, taps, padding, corners, axis_places, axis_weights, down)
        _axis_taps(grid[2 * point], width, taps, padding, corners, axis_places, axis_weights, right)
        for i in range(taps):
            for j in range(taps):
                n = (point * taps + i) * taps + j
                places[n] = axis_places[down + i] * width + axis_places[right + j]
                weights[n] = axis_weights[down + i] * axis_weights[right + j]


@inner
def _sample_block(
    x: Any, offset: int, places: Any, weights: Any, first: int, taps: int, count: int, channels: int,
    block: Any, out: Any, dest: int, points: int, is_max: int,
) -> None:  # fmt: skip
    """`count` samples of an image with channels last, written with channels first.

    `offset` is the number of the image's first pixel, and `first` that of the first sample's first tap.
    Samples are written from index `dest` on; their channels are `points` elements apart.  With `is_max`, a
    sample is the largest of its pixels times their weights.
    """
    for point in range(count):
        tap = first + point * taps
        for channel in range(0, channels, LANES):
            left = channels - channel
            total = splat(np.float32(-np.inf if is_max else 0.0))
            for n in range(tap, tap + taps):
                v = load_part(x, (offset + places[n]) * channels + channel, left)
                weight = splat(weights[n])
                total = maximum(total, v * weight) if is_max else fma(v, weight, total)
            store_part(total, block, point * channels + channel, left)
    transpose_matrix(block, 0, channels, count, channels, out, dest, points)


@entry("r", "n", "r", "s", "w", "i", "i", "i", "i")
def sample_pixels(
    x: Any, places: Any, weights: Any, block: Any, out: Any, channels: int, pixels: int, points: int,
    taps: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Like `sample_planes`, of images with channels last, and any number of taps.

    Work items `begin` to `end` are blocks of `SAMPLED_POINTS` points, counted over the images; `block` is
    scratch memory for the samples of one.
    """
    blocks = (points + SAMPLED_POINTS - 1) // SAMPLED_POINTS
    for item in range(begin, end):
        image, first = item // blocks, item % blocks * SAMPLED_POINTS
        count = min(SAMPLED_POINTS, points - first)
        tap, dest = (image * points + first) * taps, image * channels * points + first
        _sample_block(
            x, image * pixels, places, weights, tap, taps, count, channels, block, out, dest, points, 0
        )  # fmt: skip


@inner
def _clipped(at: Any, size: int) -> Any:
    return min(max(at, 0.0), np.float64(size - 1))


@entry("r", "m", "w", "i", "i", "i", "i", "i", "i", "f", "i")
def roi_taps(
    boxes: Any, places: Any, weights: Any, height: int, width: int, rows: int, columns: int, samples: int,
    parts: int, scale: float, aligned: int, begin: int, end: int,
) -> None:  # fmt: skip
    """The pixels of boxes `begin` to `end`, (x1, y1, x2, y2) times `scale`, and their weights.

    A bin has `samples` bilinear samples along each axis, of weight 1 divided by `parts`; those more than a
    pixel outside have no weight.
    """
    taps, factor = 4 * samples * samples, np.float64(scale)
    for box in range(begin, end):
        shift = 0.5 if aligned else 0.0
        left, top = (
            np.float64(boxes[4 * box]) * factor - shift,
            np.float64(boxes[4 * box + 1]) * factor - shift,
        )
        across: Any = np.float64(boxes[4 * box + 2]) * factor - shift - left
        down: Any = np.float64(boxes[4 * box + 3]) * factor - shift - top
        if not aligned:
            across, down = max(across, 1.0), max(down, 1.0)
        tap = box * rows * columns * taps
        for bin_ in range(rows * columns):
            for sample in range(samples * samples):
                step = bin_ // columns + (sample // samples + 0.5) / samples
                y: Any = top + step * (down / rows)
                step = bin_ % columns + (sample % samples + 0.5) / samples
                x_: Any = left + step * (across / columns)
                # A comparison that is false for NaN: such a sample is outside.
                inside = y >= -1.0 and y <= height and x_ >= -1.0 and x_ <= width
                y, x_ = _clipped(y if inside else 0.0, height), _clipped(x_ if inside else 0.0, width)
                i, j = int(y), int(x_)
                low, right = y - i, x_ - j
                share = 1.0 / parts if inside else 0.0
                below, beside = min(i + 1, height - 1), min(j + 1, width - 1)
                places[tap], weights[tap] = i * width + j, np.float32(share * (1 - low) * (1 - right))
                places[tap + 1], weights[tap + 1] = i * width + beside, np.float32(share * (1 - low) * right)
                places[tap + 2], weights[tap + 2] = below * width + j, np.float32(share * low * (1 - right))
                places[tap + 3], weights[tap + 3] = below * width + beside, np.float32(share * low * right)
                tap += 4


@entry("r", "n", "n", "r", "w", "i", "i", "i", "i", "i", "i")
def roi_bins(
    x: Any, images: Any, places: Any, weights: Any, out: Any, batch: int, channels: int, pixels: int,
    bins: int, taps: int, is_max: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Means in the bins of boxes `begin` to `end`, by the pixels and weights of `roi_taps`.

    With `is_max`, they are the largest of the pixels times their weights.  Box n is on image ``images[n]``,
    which is below `batch`; images have their channels first.
    """
    for box in range(begin, end):
        for channel in range(channels):
            plane = (images[box] * channels + channel) * pixels
            dest = (box * channels + channel) * bins
            tap = box * bins * taps
            for bin_ in range(bins):
                total = np.float32(-np.inf if is_max else 0.0)
                for n in range(tap, tap + taps):
                    v = weights[n] * x[plane + places[n]]
                    # A comparison that is true for NaN, which remains.
                    larger = v if not v <= total and total == total else total
                    total = larger if is_max else total + v
                out[dest + bin_] = total
                tap += taps


@entry("r", "n", "n", "r", "s", "w", "i", "i", "i", "i", "i", "i")
def roi_pixels(
    x: Any, images: Any, places: Any, weights: Any, block: Any, out: Any, batch: int, channels: int,
    pixels: int, bins: int, taps: int, is_max: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Like `roi_bins`, of images with channels last.

    Work items `begin` to `end` are blocks of `SAMPLED_POINTS` bins, counted over the boxes; `block` is
    scratch memory for the results of one.
    """
    blocks = (bins + SAMPLED_POINTS - 1) // SAMPLED_POINTS
    for item in range(begin, end):
        box, first = item // blocks, item % blocks * SAMPLED_POINTS
        count, dest = min(SAMPLED_POINTS, bins - first), box * channels * bins + first
        _sample_block(
            x, images[box] * pixels, places, weights, (box * bins + first) * taps, taps, count, channels,
            block, out, dest, bins, is_max,
        )  # fmt: skip


@entry("r", "w", "r", "r", "r", "i", "i", "i", "i")
def affine_grid(
    theta: Any, out: Any, depths: Any, heights: Any, widths: Any, depth: int, height: int, width: int,
    rank: int, begin: int, end: int,
) -> None:  # fmt: skip
    """``out[n, z, y, x, :] = theta[n] · (widths[x], heights[y], depths[z], 1)`` for rows (n, z, y).

    `theta` is ``[…, rank, rank + 1]``; with rank 2, positions have no depth.
    """
    for row in range(begin, end):
        y, z, n = row % height, row // height % depth, row // height // depth
        for axis in range(rank):
            first = (n * rank + axis) * (rank + 1)
            offset = theta[first + rank] + theta[first + 1] * heights[y]
            if rank == 3:
                offset += theta[first + 2] * depths[z]
            factor, dest = theta[first], row * width * rank + axis
            for x in range(width):
                out[dest + x * rank] = factor * widths[x] + offset
