"""softmax, its logarithm and layer normalisation of rows, and activations."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import (
    exp_below_88,
    fma,
    larger,
    largest,
    load,
    load_part,
    maximum,
    splat,
    store,
    store_part,
    total,
)
from lite.kernels.cpu.compiled.microkernels.combine import largest_lane, load_rest
from lite.kernels.cpu.compiled.microkernels.logarithm import log
from lite.kernels.cpu.compiled.squeeze_excite import activated
from lite.kernels.cpu.tile_sizes import LANES


@inner
def softmax_row(x: Any, place: int, out: Any, start: int, size: int) -> None:
    """exp(x) / sum(exp(x)) of `size` elements."""
    lowest = np.float32(-np.inf)
    whole = size // LANES * LANES
    far = whole // (2 * LANES) * 2 * LANES
    left = size - whole
    # Missing lanes are −∞, whose exponential is 0.
    last = load_rest(x, place + whole, left, lowest)
    a = b = last
    for n in range(place, place + far, 2 * LANES):
        a, b = larger(load(x, n), a), larger(load(x, n + LANES), b)
    if far < whole:
        a = larger(load(x, place + far), a)
    shift = splat(largest(larger(a, b)))
    last = exp_below_88(last - shift)
    a, b = last, splat(np.float32(0.0))
    for n in range(0, far, 2 * LANES):
        v = exp_below_88(load(x, place + n) - shift)
        w = exp_below_88(load(x, place + n + LANES) - shift)
        a, b = a + v, b + w
        store(v, out, start + n)
        store(w, out, start + n + LANES)
    if far < whole:
        v = exp_below_88(load(x, place + far) - shift)
        a = a + v
        store(v, out, start + far)
    factor = splat(np.float32(1.0) / total(a + b))
    for n in range(start, start + whole, LANES):
        store(load(out, n) * factor, out, n)
    if left:
        store_part(last * factor, out, start + whole, left)


@entry("r", "w", "i")
def softmax_rows(x: Any, out: Any, size: int, begin: int, end: int) -> None:
    """exp(x) / sum(exp(x)) of rows `begin` to `end`, of `size` elements."""
    for row in range(begin, end):
        softmax_row(x, row * size, out, row * size, size)


@inner
def _softmax_columns(x: Any, start: int, out: Any, size: int, step: int) -> None:
    """exp(x) / sum(exp(x)) of `LANES` columns of `size` elements, which are `step` elements apart."""
    top = splat(np.float32(-np.inf))
    end = start + size * step
    for n in range(start, end, step):
        top = larger(load(x, n), top)
    sums = splat(np.float32(0.0))
    for n in range(start, end, step):
        v = exp_below_88(load(x, n) - top)
        sums = sums + v
        store(v, out, n)
    factor = splat(np.float32(1.0)) / sums
    for n in range(start, end, step):
        store(load(out, n) * factor, out, n)


@inner
def _softmax_whole_rows(x: Any, start: int, out: Any, size: int, columns: int) -> None:
    """exp(x) / sum(exp(x)) of all `columns`, with as many rows in a vector as it has lanes for.

    A vector has elements of the next one in its last lanes.  `out` may be `x`: the next vector is loaded
    before one is stored.  Lanes of a column are combined in the first elements of `out`.
    """
    width, total = LANES // columns * columns, size * columns
    whole = start + ((total - LANES) // width + 1) * width
    left, final = start + total - whole, whole - width
    ahead = min(start + width, final)
    first, second = load(x, start), load(x, ahead)
    last = load_rest(x, whole, left, np.float32(-np.inf))
    top = larger(first, last)
    for n in range(start + width, whole, width):
        top = larger(load(x, n), top)
    store(top, out, start)
    for column in range(start, start + columns):
        for n in range(column + columns, start + LANES, columns):
            out[column] = max(out[column], out[n])
        for n in range(column + columns, start + LANES, columns):
            out[n] = out[column]
    top = load(out, start)
    first, last = exp_below_88(first - top), exp_below_88(last - top)
    sums = first
    for n in range(start + width, whole, width):
        v = exp_below_88(second - top)
        second = load(x, min(n + width, final))
        sums = sums + v
        store(v, out, n)
    second = load(out, ahead)
    store(last, out, start)
    for column in range(start, start + columns):
        for n in range(column + columns, start + LANES, columns):
            out[column] += out[n]
    ends = load(out, start)
    store(sums, out, start)
    for column in range(start, start + columns):
        for n in range(column + columns, start + width, columns):
            out[column] += out[n]
    store(load(out, start) + ends, out, start)
    for n in range(start + columns, start + LANES):
        out[n] = out[n - columns]
    factor = splat(np.float32(1.0)) / load(out, start)
    store(first * factor, out, start)
    for n in range(start + width, whole, width):
        v = second * factor
        second = load(out, min(n + width, final))
        store(v, out, n)
    if left:
        store_part(last * factor, out, whole, left)


@inner
def _softmax_few_columns(x: Any, start: int, out: Any, size: int, step: int, count: int) -> None:
    """`_softmax_columns` of `count` columns."""
    top = splat(np.float32(-np.inf))
    end = start + size * step
    for n in range(start, end, step):
        top = larger(load_part(x, n, count), top)
    sums = splat(np.float32(0.0))
    for n in range(start, end, step):
        v = exp_below_88(load_part(x, n, count) - top)
        sums = sums + v
        store_part(v, out, n, count)
    factor = splat(np.float32(1.0)) / sums
    for n in range(start, end, step):
        store_part(load_part(out, n, count) * factor, out, n, count)


@entry("r", "w", "i", "i")
def softmax_columns(x: Any, out: Any, size: int, columns: int, begin: int, end: int) -> None:
    """exp(x) / sum(exp(x)) along the first axis of matrices ``[size, columns]``.

    Work items `begin` to `end` are blocks of `LANES` columns, counted over the matrices.
    """
    blocks = (columns + LANES - 1) // LANES
    for item in range(begin, end):
        column = item % blocks * LANES
        start, left = item // blocks * size * columns + column, columns - column
        if left >= LANES:
            _softmax_columns(x, start, out, size, columns)
        elif columns < LANES and size * columns >= LANES:
            _softmax_whole_rows(x, start, out, size, columns)
        else:
            _softmax_few_columns(x, start, out, size, columns, left)


@inner
def _add(x: Any, start: int, y: Any, place: int, out: Any, size: int) -> None:
    """Add `size` elements of `y` to those of `x`, which lie at the same index in `out`."""
    whole = size // LANES * LANES
    for n in range(0, whole, LANES):
        store(load(x, start + n) + load(y, place + n), out, start + n)
    rest = size - whole
    if rest:
        total = load_part(x, start + whole, rest) + load_part(y, place + whole, rest)
        store_part(total, out, start + whole, rest)


@inner
def _moments(x: Any, start: int, size: int) -> Any:
    """Mean and variance of `size` elements."""
    whole = start + size // LANES * LANES
    far = start + size // (2 * LANES) * 2 * LANES
    rest = start + size - whole
    a = b = splat(np.float32(0.0))
    for n in range(start, far, 2 * LANES):
        a, b = a + load(x, n), b + load(x, n + LANES)
    if far < whole:
        a = a + load(x, far)
    if rest:
        b = b + load_part(x, whole, rest)
    mean = total(a + b) / np.float32(size)
    centre = splat(mean)
    a = b = splat(np.float32(0.0))
    for n in range(start, far, 2 * LANES):
        v, w = load(x, n) - centre, load(x, n + LANES) - centre
        a, b = fma(v, v, a), fma(w, w, b)
    if far < whole:
        v = load(x, far) - centre
        a = fma(v, v, a)
    squares = total(a + b)
    for n in range(whole, start + size):
        difference = x[n] - mean
        squares += difference * difference
    return mean, squares / np.float32(size)


@inner
def _scale_and_shift(
    x: Any, out: Any, start: int, size: int, mean: float, factor: float, scale: Any, shift: Any
) -> None:
    """(x − mean) · factor · scale + shift of `size` elements."""
    centre, by = splat(mean), splat(factor)
    whole = size // LANES * LANES
    for n in range(0, whole, LANES):
        v = (load(x, start + n) - centre) * by
        store(fma(v, load(scale, n), load(shift, n)), out, start + n)
    rest = size - whole
    if rest:
        v = (load_part(x, start + whole, rest) - centre) * by
        v = fma(v, load_part(scale, whole, rest), load_part(shift, whole, rest))
        store_part(v, out, start + whole, rest)


@entry("r", "r", "r", "r", "f", "w", "w", "w", "i", "i")
def normalise_rows(
    x: Any, y: Any, scale: Any, shift: Any, epsilon: float, out: Any, means: Any, variances: Any, others: int,
    size: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Normalise rows `begin` to `end` of x, or of x + y, then multiply by scale and add shift.

    A row has `size` elements.  `y` has `others` rows, which begin again after the last one; 0: there is no y.
    """
    for row in range(begin, end):
        start = row * size
        if others:
            _add(x, start, y, row % others * size, out, size)
            mean, variance = _moments(out, start, size)
        else:
            mean, variance = _moments(x, start, size)
        means[row], variances[row] = mean, variance
        factor = np.float32(1.0) / np.sqrt(variance + epsilon)
        if others:
            _scale_and_shift(out, out, start, size, mean, factor, scale, shift)
        else:
            _scale_and_shift(x, out, start, size, mean, factor, scale, shift)


@entry("r", "w", "i", "r")
def activate(x: Any, out: Any, flags: int, parameters: Any, begin: int, end: int) -> None:
    """Apply an activation to elements `begin` to `end`."""
    whole = begin + (end - begin) // LANES * LANES
    for n in range(begin, whole, LANES):
        store(activated(load(x, n), flags, parameters), out, n)
    if whole < end:
        store_part(activated(load_part(x, whole, end - whole), flags, parameters), out, whole, end - whole)


@inner
def _highest(x: Any, start: int, tail: int, rest: int) -> Any:
    """The largest element of a row: of whole vectors up to `tail`, and `rest` elements."""
    highest = load_rest(x, tail, rest, np.float32(-np.inf))
    for n in range(start, tail, LANES):
        highest = maximum(highest, load(x, n))
    return largest_lane(highest)


@entry("r", "w", "i")
def log_softmax_rows(x: Any, out: Any, size: int, begin: int, end: int) -> None:
    """log(exp(x) / sum(exp(x))) of rows `begin` to `end`, of `size` elements."""
    lowest = np.float32(-np.inf)
    whole = size // LANES * LANES
    rest = size - whole
    for row in range(begin, end):
        start, tail = row * size, row * size + whole
        top = splat(_highest(x, start, tail, rest))
        v = load_rest(x, tail, rest, lowest) - top
        store_part(v, out, tail, rest)
        lane_sums = exp_below_88(v)
        for n in range(start, tail, LANES):
            v = load(x, n) - top
            store(v, out, n)
            lane_sums = lane_sums + exp_below_88(v)
        shift = log(splat(total(lane_sums)))
        for n in range(start, tail, LANES):
            store(load(out, n) - shift, out, n)
        store_part(load_part(out, tail, rest) - shift, out, tail, rest)


@entry("r", "w", "i")
def log_sum_exp_rows(x: Any, out: Any, size: int, begin: int, end: int) -> None:
    """log(sum(exp(x))) of rows `begin` to `end`, of `size` elements, computed around their maximum."""
    lowest = np.float32(-np.inf)
    whole = size // LANES * LANES
    rest = size - whole
    for row in range(begin, end):
        start, tail = row * size, row * size + whole
        most = _highest(x, start, tail, rest)
        if most - most != np.float32(0.0):
            # Infinite, or NaN: the sum of all elements that are not below it.
            for n in range(start, start + size):
                if not x[n] < most:
                    most = most + x[n]
            out[row] = most
            continue
        top = splat(most)
        lane_sums = exp_below_88(load_rest(x, tail, rest, lowest) - top)
        for n in range(start, tail, LANES):
            lane_sums = lane_sums + exp_below_88(load(x, n) - top)
        out[row] = most + np.float32(np.log(total(lane_sums)))
