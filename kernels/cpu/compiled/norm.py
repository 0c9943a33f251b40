"""Normalisation of groups of channels, rows and neighbouring channels, and scale and shift of channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inlined, inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import (
    exp,
    fma,
    load,
    load_part,
    splat,
    store,
    store_part,
    total,
    where_negative,
)
from lite.kernels.cpu.compiled.microkernels.combine import load_rest
from lite.kernels.cpu.compiled.microkernels.logarithm import log
from lite.kernels.cpu.compiled.reduce import row_sum
from lite.kernels.cpu.compiled.squeeze_excite import activated
from lite.kernels.cpu.tile_sizes import BLOCK, LANES


@inner
def _squares(x: Any, start: int, count: int, centre: float) -> float:
    """The sum of ``(x − centre)²`` over at most `BLOCK` elements."""
    middle = splat(np.float32(centre))
    a = b = splat(np.float32(0.0))
    whole = count // (2 * LANES) * 2 * LANES
    for n in range(start, start + whole, 2 * LANES):
        v, w = load(x, n) - middle, load(x, n + LANES) - middle
        a, b = fma(v, v, a), fma(w, w, b)
    for n in range(whole, count, LANES):
        v = load_rest(x, start + n, count - n, np.float32(centre)) - middle
        a = fma(v, v, a)
    return float(total(a + b))


@inner
def _moments(x: Any, start: int, size: int) -> tuple[float, float]:
    """Mean and variance of `size` elements, combined from blocks (T. Chan, G. Golub and R. LeVeque 1979)."""
    mean = squares = 0.0
    for done in range(0, size, BLOCK):
        count = min(BLOCK, size - done)
        centre = float(np.float32(row_sum(x, start + done, count) / count))
        difference = centre - mean
        squares += _squares(x, start + done, count, centre)
        squares += difference * difference * done * count / (done + count)
        mean += difference * count / (done + count)
    return mean, squares / size


@inner
def _affine(
    x: Any, out: Any, start: int, count: int, mean: float, factor: float, shift: float, flags: int,
    parameters: Any,
) -> None:  # fmt: skip
    """The activation of ``(x − mean) · factor + shift``."""
    m, f, s = splat(np.float32(mean)), splat(np.float32(factor)), splat(np.float32(shift))
    if flags:
        for n in range(0, count, LANES):
            v = fma(load_part(x, start + n, count - n) - m, f, s)
            store_part(activated(v, flags, parameters), out, start + n, count - n)
    else:
        whole = count // LANES * LANES
        for n in range(start, start + whole, LANES):
            store(fma(load(x, n) - m, f, s), out, n)
        if whole < count:
            v = fma(load_part(x, start + whole, count - whole) - m, f, s)
            store_part(v, out, start + whole, count - whole)


@entry("r", "r", "r", "r", "w", "w", "w", "f", "i", "i", "i", "i", "i")
def normalise_groups(
    x: Any, scale: Any, shift: Any, parameters: Any, out: Any, means: Any, variances: Any, epsilon: float,
    flags: int, groups: int, channels: int, pixels: int, is_inverse: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Normalise groups `begin` to `end`, counted over the batch, of `channels` channels of `pixels` elements.

    After the division come `scale` and `shift` per channel, and the activation.  With `is_inverse`,
    `variances` become ``1 / sqrt(variance + epsilon)``.
    """
    for group in range(begin, end):
        start, first = group * channels * pixels, group % groups * channels
        mean, variance = _moments(x, start, channels * pixels)
        inverse = 1.0 / np.sqrt(variance + epsilon)
        means[group] = mean
        variances[group] = inverse if is_inverse else variance
        for channel in range(channels):
            factor = inverse * scale[first + channel]
            _affine(
                x,
                out,
                start + channel * pixels,
                pixels,
                mean,
                factor,
                shift[first + channel],
                flags,
                parameters,
            )


@entry("r", "r", "w", "w", "f", "i", "i")
def divide_by_lengths(
    x: Any, scale: Any, out: Any, lengths: Any, epsilon: float, divisor: int, size: int, begin: int, end: int
) -> None:
    """Divide rows `begin` to `end` of `size` elements by ``sqrt(Σ x² / divisor + epsilon)``, times `scale`.

    The divisors are written to `lengths`; a row whose divisor is 0 becomes 0.
    """
    for row in range(begin, end):
        start = row * size
        squares = 0.0
        for place in range(start, start + size, BLOCK):
            squares += _squares(x, place, min(BLOCK, start + size - place), 0.0)
        length = np.sqrt(squares / divisor + epsilon)
        lengths[row] = length
        factor = splat(np.float32(1.0 / length if length != 0.0 else 0.0))
        whole = size // LANES * LANES
        for n in range(0, whole, LANES):
            store(load(x, start + n) * factor * load(scale, n), out, start + n)
        if whole < size:
            v = load_part(x, start + whole, size - whole) * factor * load_part(scale, whole, size - whole)
            store_part(v, out, start + whole, size - whole)


@entry("r", "r", "r", "w", "i", "i")
def scale_planes(
    x: Any, factor: Any, shift: Any, out: Any, channels: int, pixels: int, begin: int, end: int
) -> None:
    """``x · factor + shift`` of planes `begin` to `end`; a plane has `pixels` elements of one channel."""
    for plane in range(begin, end):
        f, s = splat(factor[plane % channels]), splat(shift[plane % channels])
        start, whole = plane * pixels, pixels // LANES * LANES
        for n in range(start, start + whole, LANES):
            store(fma(load(x, n), f, s), out, n)
        if whole < pixels:
            v = fma(load_part(x, start + whole, pixels - whole), f, s)
            store_part(v, out, start + whole, pixels - whole)


@entry("r", "r", "r", "w", "i")
def scale_rows(x: Any, factor: Any, shift: Any, out: Any, channels: int, begin: int, end: int) -> None:
    """``x · factor + shift`` of rows `begin` to `end`; a row has one element of each channel."""
    whole = channels // LANES * LANES
    rest = channels - whole
    for start in range(begin * channels, end * channels, channels):
        for n in range(0, whole, LANES):
            store(fma(load(x, start + n), load(factor, n), load(shift, n)), out, start + n)
        if rest:
            v = fma(
                load_part(x, start + whole, rest),
                load_part(factor, whole, rest),
                load_part(shift, whole, rest),
            )
            store_part(v, out, start + whole, rest)


@inlined
def _power(v: Any, exponent: float) -> Any:
    """``v ** exponent`` of normal, positive numbers, of infinity, and of NaN."""
    logarithm = where_negative(splat(np.float32(3.4e38)) - v, splat(np.float32(1e30)), log(v))
    return exp(logarithm * splat(exponent))


@entry("r", "w", "i", "i", "i", "f", "f", "f")
def lrn(
    x: Any, out: Any, channels: int, pixels: int, size: int, k: float, alpha: float, exponent: float,
    begin: int, end: int,
) -> None:  # fmt: skip
    """``out[n, c, p] = x[n, c, p] · (k + alpha · Σ x[n, j, p]²) ** exponent``; `size` channels j around c.

    Work items `begin` to `end` are blocks of `LANES` pixels, counted over images.
    """
    blocks = -(-pixels // LANES)
    before = (size - 1) // 2
    for item in range(begin, end):
        pixel = item % blocks * LANES
        count = min(pixels - pixel, LANES)
        start = item // blocks * channels * pixels + pixel
        for c in range(channels):
            squares = splat(np.float32(0.0))
            for j in range(max(c - before, 0), min(c - before + size, channels)):
                v = load_part(x, start + j * pixels, count)
                squares = fma(v, v, squares)
            middle = fma(squares, splat(alpha), splat(k))
            v = load_part(x, start + c * pixels, count)
            store_part(v * _power(middle, exponent), out, start + c * pixels, count)
