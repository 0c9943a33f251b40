"""softmax(scale · Q · Kᵀ + mask) · V: the weights of a few rows at a time, which stay in a cache."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.few_rows import dot, dot_products, weighted_sum
from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import (
    address,
    clear,
    exp_below_88,
    larger,
    largest,
    load,
    load_part,
    splat,
    store,
    store_part,
    total,
)
from lite.kernels.cpu.compiled.microkernels.combine import load_rest
from lite.kernels.cpu.compiled.microkernels.dense import tile
from lite.kernels.cpu.compiled.microkernels.post_activation import tanh
from lite.kernels.cpu.compiled.microkernels.tiles import FEW, FEW_PIXELS
from lite.kernels.cpu.compiled.moves.transpose import transpose_matrix
from lite.kernels.cpu.lengths.attention import FEW_ROWS
from lite.kernels.cpu.tile_sizes import LANES, ROWS


@inner
def _multiply(
    columns: int, x: int, step: int, count: int, depth: int, w: Any, place: int, zeros: Any, channel: int,
    left: int, parameters: Any, out: Any, dest: int, out_step: int,
) -> None:  # fmt: skip
    """Multiply `count` rows of `depth` elements, `step` elements apart, by a panel; as `dense.product`."""
    rows, kind = ROWS[columns], columns
    if FEW <= count < rows:
        rows, kind = FEW, columns + FEW_PIXELS
    elif count < rows:
        rows, kind = 1, -columns
    row = 0
    while row < count:
        start = min(row, count - rows)
        tile(
            kind, x + 4 * start * step, step, 0, 0, 1, 1, depth, depth, w, place, zeros, channel, left, 0,
            parameters, zeros, zeros, zeros, out, dest + start * out_step, out_step,
        )  # fmt: skip
        row = start + rows


@inner
def _cap(x: Any, place: int, size: int, scale: float, cap: float) -> None:
    """Replace numbers by ``cap · tanh(scale · x / cap)``."""
    factor, bound = splat(scale / cap), splat(cap)
    for n in range(0, size, LANES):
        v = tanh(load_part(x, place + n, size - n) * factor) * bound
        store_part(v, x, place + n, size - n)


@inner
def _weigh(
    x: Any, place: int, size: int, scale: Any, mask: Any, mask_place: int, has_mask: int, nan_as_zero: int,
    sink: Any,
) -> np.float32:  # fmt: skip
    """Make weights of a row: ``exp(y − m)`` of ``y = scale · x + mask``; m is the largest of y and sink.

    Returns the sum of the weights and of ``exp(sink − m)``; 1 for no weights.  With `nan_as_zero`, the
    weights of a row whose sum is NaN are 0, and their sum is 1.
    """
    if size <= 0:
        return np.float32(1.0)
    factor, lowest = splat(scale), np.float32(-np.inf)
    whole = size // LANES * LANES
    left = size - whole
    best = splat(sink)
    for n in range(0, whole, LANES):
        v = load(x, place + n) * factor
        if has_mask:
            v = v + load(mask, mask_place + n)
        store(v, x, place + n)
        best = larger(v, best)
    last = splat(lowest)
    if left:
        last = load_rest(x, place + whole, left, np.float32(0.0)) * factor
        if has_mask:
            last = last + load_part(mask, mask_place + whole, left)
        # Missing lanes are −∞, whose exponential is 0.
        store_part(last, x, place + whole, left)
        last = load_rest(x, place + whole, left, lowest)
        best = larger(last, best)
    shift = splat(largest(best))
    a = b = splat(np.float32(0.0))
    far = whole // (2 * LANES) * 2 * LANES
    for n in range(place, place + far, 2 * LANES):
        v, w = exp_below_88(load(x, n) - shift), exp_below_88(load(x, n + LANES) - shift)
        a, b = a + v, b + w
        store(v, x, n)
        store(w, x, n + LANES)
    if far < whole:
        v = exp_below_88(load(x, place + far) - shift)
        a = a + v
        store(v, x, place + far)
    if left:
        last = exp_below_88(last - shift)
        b = b + last
        store_part(last, x, place + whole, left)
    result: np.float32 = total(a + b)
    if sink > lowest:
        result += largest(exp_below_88(splat(sink) - shift))
    if nan_as_zero and result != result:
        clear(x, place, size)
        return np.float32(1.0)
    return result


@entry(*"rrrrnrrrswnff", *"i" * 11)
def attend(
    q: Any, k: Any, v: Any, mask: Any, lengths: Any, sinks: Any, zeros: Any, parameters: Any, scratch: Any,
    out: Any, steps: Any, scale: float, cap: float, heads: int, rows: int, keys: int, depth: int, size: int,
    key_columns: int, columns: int, block: int, has_mask: int, nan_as_zero: int, parts: int, begin: int,
    end: int,
) -> None:  # fmt: skip
    """Parts `begin` to `end` of heads, counted over the batch: `rows` rows of Q, `keys` rows of K and V.

    The rows of Q of a head are divided into `parts`, which threads share.

    Rows have `depth` elements in Q and K, and `size` in V and the result.  `steps` are the offset of the
    first element and the steps of samples, heads and rows in Q, K, V, the mask and the result; then the
    numbers of `Visible`.  `lengths` are keys of each sample, `sinks` a score of each head; scores are capped
    if `cap` is above 0.  `scratch` is memory for packed K and V, and for `block` rows of weights and their
    sums.
    """
    key_panel, panel = key_columns * LANES, columns * LANES
    padded_keys = (keys + key_panel - 1) // key_panel * key_panel
    padded_size = (size + panel - 1) // panel * panel
    values_at = padded_keys * depth
    weights_at = values_at + keys * padded_size
    sums_at = weights_at + block * padded_keys
    shared, position, before, after, has_lengths, ends_with_rows, has_sinks = (
        steps[20], steps[21], steps[22], steps[23], steps[24], steps[25], steps[26]
    )  # fmt: skip
    q_step, k_step, v_step, mask_step, out_step = steps[3], steps[7], steps[11], steps[15], steps[19]
    factor = np.float32(1.0) if cap > 0 else scale
    for item in range(begin, end):
        n, head = item // parts // heads, item // parts % heads
        first_row, end_row = item % parts * rows // parts, (item % parts + 1) * rows // parts
        q_at = steps[0] + n * steps[1] + head * steps[2]
        k_at = steps[4] + n * steps[5] + head // shared * steps[6]
        v_at = steps[8] + n * steps[9] + head // shared * steps[10]
        mask_at = steps[12] + n * steps[13] + head * steps[14]
        out_at = steps[16] + n * steps[17] + head * steps[18]
        sink = sinks[head] if has_sinks else np.float32(-np.inf)
        known = min(max(lengths[n], 0), keys) if has_lengths else keys
        first_position = lengths[n] - rows if ends_with_rows else position
        if rows <= FEW_ROWS:
            for row in range(first_row, end_row):
                start = q_at + row * q_step
                here = first_position + row
                low, high = max(here - before, 0), min(here + after + 1, known)
                seen = high - low
                if seen >= LANES:
                    for first in range(0, seen, LANES):
                        # The last rows of K are read again, so that there are always `LANES` of them.
                        key = min(first, seen - LANES)
                        dots = dot_products(q, start, k, k_at + (low + key) * k_step, k_step, depth)
                        store(dots, scratch, key)
                else:
                    for key in range(seen):
                        scratch[key] = dot(q, start, k, k_at + (low + key) * k_step, depth)
                if cap > 0:
                    _cap(scratch, 0, seen, scale, cap)
                whole = _weigh(
                    scratch, 0, seen, factor, mask, mask_at + row * mask_step + low, has_mask, nan_as_zero,
                    sink,
                )  # fmt: skip
                dest = out_at + row * out_step
                weighted_sum(
                    scratch, 0, max(seen, 0), v, v_at + low * v_step, v_step, size, np.float32(1.0) / whole,
                    out, dest,
                )  # fmt: skip
            continue
        lowest = max(first_position + first_row - before, 0) // key_panel * key_panel
        highest = min(first_position + end_row + after, known)
        for key in range(lowest, highest, key_panel):
            if keys - key < key_panel:
                clear(scratch, key * depth, key_panel * depth)
            count = min(key_panel, keys - key)
            transpose_matrix(k, k_at + key * k_step, k_step, count, depth, scratch, key * depth, key_panel)
        for channel in range(0, size, panel):
            dest = values_at + channel * keys
            for key in range(lowest, highest):
                for part in range(0, panel, LANES):
                    left = size - channel - part
                    place = v_at + key * v_step + channel + part
                    row_part = load(v, place) if left >= LANES else load_part(v, place, left)
                    store(row_part, scratch, dest + key * panel + part)
        for first in range(first_row, end_row, block):
            count = min(block, end_row - first)
            here = first_position + first
            from_key = max(here - before, 0) // key_panel * key_panel
            to_key = min(here + count + after, known)
            dest = out_at + first * out_step
            if to_key <= from_key:
                for row in range(count):
                    clear(out, dest + row * out_step, size)
                continue
            for key in range(from_key, to_key, key_panel):
                _multiply(
                    key_columns, address(q, q_at + first * q_step), q_step, count, depth, scratch,
                    key * depth, zeros, key, keys - key, parameters, scratch, weights_at + key, padded_keys,
                )  # fmt: skip
            for row in range(count):
                place = weights_at + row * padded_keys
                low, high = max(here + row - before, 0), min(here + row + after + 1, known)
                high = max(high, from_key)
                low = min(low, high)
                if cap > 0:
                    _cap(scratch, place + low, high - low, scale, cap)
                scratch[sums_at + row] = _weigh(
                    scratch, place + low, high - low, factor, mask,
                    mask_at + (first + row) * mask_step + low, has_mask, nan_as_zero, sink,
                )  # fmt: skip
                clear(scratch, place + from_key, low - from_key)
                clear(scratch, place + high, to_key - high)
            for channel in range(0, size, panel):
                _multiply(
                    columns, address(scratch, weights_at + from_key), padded_keys, count, to_key - from_key,
                    scratch, values_at + channel * keys + from_key * panel, zeros, channel, size - channel,
                    parameters, out, dest + channel, out_step,
                )  # fmt: skip
            for row in range(count):
                inverse = splat(np.float32(1.0) / scratch[sums_at + row])
                for channel in range(0, size, LANES):
                    place, left = dest + row * out_step + channel, size - channel
                    if left >= LANES:
                        store(load(out, place) * inverse, out, place)
                    else:
                        store_part(load_part(out, place, left) * inverse, out, place, left)
