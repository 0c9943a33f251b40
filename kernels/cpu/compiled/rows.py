"""softmax and layer normalisation of rows, and activations."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.entry import entry
from lite.kernels.cpu.compiled.squeeze_excite import activated
from lite.kernels.cpu.compiled.vector import (
    exp,
    fma,
    larger,
    largest,
    load,
    load_part,
    splat,
    store,
    store_part,
    total,
)
from lite.kernels.cpu.tile_sizes import LANES


@entry("r", "w", "i")
def softmax_rows(x: Any, out: Any, size: int, begin: int, end: int) -> None:
    """exp(x) / sum(exp(x)) of rows `begin` to `end`, of `size` elements."""
    whole = size // LANES * LANES
    for row in range(begin, end):
        start = row * size
        highest = splat(x[start])
        for n in range(0, whole, LANES):
            highest = larger(load(x, start + n), highest)
        top = largest(highest)
        for n in range(whole, size):
            top = max(top, x[start + n])
            if x[start + n] != x[start + n]:
                top = x[start + n]
        shift = splat(top)
        lane_sums = splat(np.float32(0.0))
        for n in range(0, whole, LANES):
            v = exp(load(x, start + n) - shift)
            lane_sums = lane_sums + v
            store_part(v, out, start + n, LANES)
        rest = total(lane_sums)
        if whole < size:
            v = exp(load_part(x, start + whole, size - whole) - shift)
            store_part(v, out, start + whole, size - whole)
            for n in range(whole, size):
                rest += out[start + n]
        factor = splat(np.float32(1.0) / rest)
        for n in range(0, size, LANES):
            store_part(load_part(out, start + n, size - n) * factor, out, start + n, size - n)


@entry("r", "r", "r", "r", "f", "w", "w", "w", "i", "i")
def normalise_rows(
    x: Any, y: Any, scale: Any, shift: Any, epsilon: float, out: Any, means: Any, variances: Any, is_sum: int,
    size: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Normalise rows `begin` to `end` of x (+ y if `is_sum`), then multiply by scale and add shift.

    A row has `size` elements.
    """
    for row in range(begin, end):
        start = row * size
        lane_sums = splat(np.float32(0.0))
        for n in range(0, size, LANES):
            v = load_part(x, start + n, size - n)
            if is_sum:
                v = v + load_part(y, start + n, size - n)
            store_part(v, out, start + n, size - n)
            lane_sums = lane_sums + v
        mean = total(lane_sums) / np.float32(size)
        centre = splat(mean)
        squares = splat(np.float32(0.0))
        whole = size // LANES * LANES
        for n in range(0, whole, LANES):
            v = load(out, start + n) - centre
            squares = fma(v, v, squares)
        variance = total(squares)
        for n in range(whole, size):
            difference = out[start + n] - mean
            variance += difference * difference
        variance /= np.float32(size)
        means[row], variances[row] = mean, variance
        factor = splat(np.float32(1.0) / np.sqrt(variance + epsilon))
        for n in range(0, size, LANES):
            count = size - n
            v = (load_part(out, start + n, count) - centre) * factor
            v = fma(v, load_part(scale, n, count), load_part(shift, n, count))
            store_part(v, out, start + n, count)


@entry("r", "w", "i", "r")
def activate(x: Any, out: Any, flags: int, parameters: Any, begin: int, end: int) -> None:
    """Apply an activation to elements `begin` to `end`."""
    whole = begin + (end - begin) // LANES * LANES
    for n in range(begin, whole, LANES):
        store(activated(load(x, n), flags, parameters), out, n)
    if whole < end:
        store_part(activated(load_part(x, whole, end - whole), flags, parameters), out, whole, end - whole)
