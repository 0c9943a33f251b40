"""softmax(scale · Q · Kᵀ + mask) · V: the weights of a few rows at a time, which stay in a cache."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from lite.kernels.cpu.compiled import emit
from lite.kernels.cpu.compiled.combine import load_rest
from lite.kernels.cpu.compiled.dense import tile
from lite.kernels.cpu.compiled.entry import entry
from lite.kernels.cpu.compiled.jit import inner, instruction
from lite.kernels.cpu.compiled.numba_internals import for_range
from lite.kernels.cpu.compiled.tiles import FEW, FEW_PIXELS
from lite.kernels.cpu.compiled.transpose import transpose_matrix
from lite.kernels.cpu.compiled.vector import (
    VECTOR,
    address,
    clear,
    exp_below_88,
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
            kind, x + 4 * start * step, step, 0, 0, 1, 1, depth, w, place, zeros, channel, left, 0,
            parameters, zeros, zeros, zeros, out, dest + start * out_step, out_step,
        )  # fmt: skip
        row = start + rows


@inner
def _weigh(x: Any, place: int, size: int, scale: float, mask: Any, mask_place: int, has_mask: int) -> float:
    """Make weights of a row: ``exp(y − max(y))`` of ``y = scale · x + mask``; returns their sum."""
    factor, lowest = splat(scale), np.float32(-np.inf)
    whole = size // LANES * LANES
    left = size - whole
    best = splat(lowest)
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
    return total(a + b)


@instruction
def dot_products(typing: Any, q: Any, start: Any, k: Any, place: Any, step: Any, depth: Any) -> Any:
    """The products of one row of `depth` elements with `LANES` rows, `step` elements apart."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        _, start, _, place, step, depth = args
        row = emit.at(builder, emit.data(context, builder, sig.args[0], args[0]), start)
        base = emit.at(builder, emit.data(context, builder, sig.args[2], args[2]), place)
        others = [emit.at(builder, base, builder.mul(step, emit.integer(n))) for n in range(LANES)]
        sums = [emit.variable(builder, emit.constant(0.0)) for _ in others]
        vectors = builder.sdiv(depth, emit.integer(LANES))
        with for_range(builder, vectors) as loop:
            offset = builder.mul(loop.index, emit.integer(LANES))
            factor = emit.load(builder, emit.at(builder, row, offset))
            for other, variable in zip(others, sums, strict=True):
                vector = emit.load(builder, emit.at(builder, other, offset))
                builder.store(emit.fma(builder, vector, factor, builder.load(variable)), variable)
        done = builder.mul(vectors, emit.integer(LANES))
        rest = builder.sub(depth, done)
        with builder.if_then(builder.icmp_signed(">", rest, emit.integer(0))):
            mask = emit.first_lanes(builder, rest)
            factor = emit.load_masked(builder, emit.at(builder, row, done), mask)
            for other, variable in zip(others, sums, strict=True):
                vector = emit.load_masked(builder, emit.at(builder, other, done), mask)
                builder.store(emit.fma(builder, vector, factor, builder.load(variable)), variable)
        columns = emit.transposed(builder, [builder.load(variable) for variable in sums])
        while len(columns) > 1:
            half = len(columns) // 2
            columns = [builder.fadd(columns[n], columns[n + half]) for n in range(half)]
        return columns[0]

    i = types.int64
    return VECTOR(q, i, k, i, i, i), generate


@inner
def _dot(q: Any, start: int, k: Any, place: int, depth: int) -> float:
    sums = splat(np.float32(0.0))
    for n in range(0, depth, LANES):
        sums = fma(load_part(q, start + n, depth - n), load_part(k, place + n, depth - n), sums)
    return total(sums)


@inner
def _mean(
    weights: Any, start: int, keys: int, v: Any, place: int, step: int, size: int, factor: float, out: Any,
    dest: int,
) -> None:  # fmt: skip
    """`factor` times the sum of `keys` rows of `size` elements, `step` elements apart, by their weights."""
    scale = splat(factor)
    for first in range(0, size, 4 * LANES):
        if size - first >= 4 * LANES:
            a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = splat(np.float32(0.0))
            at = place + first
            for n in range(start, start + keys // 2 * 2, 2):
                w = splat(weights[n])
                a0, a1 = fma(load(v, at), w, a0), fma(load(v, at + LANES), w, a1)
                a2, a3 = fma(load(v, at + 2 * LANES), w, a2), fma(load(v, at + 3 * LANES), w, a3)
                at += step
                w = splat(weights[n + 1])
                b0, b1 = fma(load(v, at), w, b0), fma(load(v, at + LANES), w, b1)
                b2, b3 = fma(load(v, at + 2 * LANES), w, b2), fma(load(v, at + 3 * LANES), w, b3)
                at += step
            if keys % 2:
                w = splat(weights[start + keys - 1])
                a0, a1 = fma(load(v, at), w, a0), fma(load(v, at + LANES), w, a1)
                a2, a3 = fma(load(v, at + 2 * LANES), w, a2), fma(load(v, at + 3 * LANES), w, a3)
            store((a0 + b0) * scale, out, dest + first)
            store((a1 + b1) * scale, out, dest + first + LANES)
            store((a2 + b2) * scale, out, dest + first + 2 * LANES)
            store((a3 + b3) * scale, out, dest + first + 3 * LANES)
        else:
            for channel in range(first, size, LANES):
                a0 = splat(np.float32(0.0))
                for n in range(keys):
                    row = load_part(v, place + n * step + channel, size - channel)
                    a0 = fma(row, splat(weights[start + n]), a0)
                store_part(a0 * scale, out, dest + channel, size - channel)


@entry("r", "r", "r", "r", "r", "r", "s", "w", "n", "f", "i", "i", "i", "i", "i", "i", "i", "i", "i")
def attend(
    q: Any, k: Any, v: Any, mask: Any, zeros: Any, parameters: Any, scratch: Any, out: Any, steps: Any,
    scale: float, heads: int, rows: int, keys: int, depth: int, size: int, key_columns: int, columns: int,
    block: int, has_mask: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Heads `begin` to `end`, counted over the batch: `rows` rows of Q, and `keys` rows of K and V.

    Rows have `depth` elements in Q and K, and `size` in V and the result.  `steps` are the offset of the
    first element and the steps of samples, heads and rows in Q, K, V, the mask and the result.  `scratch` is
    memory for packed K and V, and for `block` rows of weights and their sums.
    """
    key_panel, panel = key_columns * LANES, columns * LANES
    padded_keys = (keys + key_panel - 1) // key_panel * key_panel
    padded_size = (size + panel - 1) // panel * panel
    values_at = padded_keys * depth
    weights_at = values_at + keys * padded_size
    sums_at = weights_at + block * padded_keys
    for item in range(begin, end):
        n, head = item // heads, item % heads
        q_at = steps[0] + n * steps[1] + head * steps[2]
        k_at = steps[4] + n * steps[5] + head * steps[6]
        v_at = steps[8] + n * steps[9] + head * steps[10]
        mask_at = steps[12] + n * steps[13] + head * steps[14]
        out_at = steps[16] + n * steps[17] + head * steps[18]
        q_step, k_step, v_step, mask_step, out_step = steps[3], steps[7], steps[11], steps[15], steps[19]
        if rows <= FEW_ROWS:
            for row in range(rows):
                start = q_at + row * q_step
                if keys >= LANES:
                    for first in range(0, keys, LANES):
                        # The last rows of K are read again, so that there are always `LANES` of them.
                        key = min(first, keys - LANES)
                        dots = dot_products(q, start, k, k_at + key * k_step, k_step, depth)
                        store(dots, scratch, key)
                else:
                    for key in range(keys):
                        scratch[key] = _dot(q, start, k, k_at + key * k_step, depth)
                whole = _weigh(scratch, 0, keys, scale, mask, mask_at + row * mask_step, has_mask)
                dest = out_at + row * out_step
                _mean(scratch, 0, keys, v, v_at, v_step, size, np.float32(1.0) / whole, out, dest)
            continue
        for key in range(0, keys, key_panel):
            if keys - key < key_panel:
                clear(scratch, key * depth, key_panel * depth)
            count = min(key_panel, keys - key)
            transpose_matrix(k, k_at + key * k_step, k_step, count, depth, scratch, key * depth, key_panel)
        for channel in range(0, size, panel):
            dest = values_at + channel * keys
            for key in range(keys):
                for part in range(0, panel, LANES):
                    left = size - channel - part
                    place = v_at + key * v_step + channel + part
                    row_part = load(v, place) if left >= LANES else load_part(v, place, left)
                    store(row_part, scratch, dest + key * panel + part)
        for first in range(0, rows, block):
            count = min(block, rows - first)
            for key in range(0, keys, key_panel):
                _multiply(
                    key_columns, address(q, q_at + first * q_step), q_step, count, depth, scratch,
                    key * depth, zeros, key, keys - key, parameters, scratch, weights_at + key, padded_keys,
                )  # fmt: skip
            for row in range(count):
                scratch[sums_at + row] = _weigh(
                    scratch, weights_at + row * padded_keys, keys, scale, mask,
                    mask_at + (first + row) * mask_step, has_mask,
                )  # fmt: skip
            dest = out_at + first * out_step
            for channel in range(0, size, panel):
                _multiply(
                    columns, address(scratch, weights_at), padded_keys, count, keys, scratch,
                    values_at + channel * keys, zeros, channel, size - channel, parameters, out,
                    dest + channel, out_step,
                )  # fmt: skip
            for row in range(count):
                factor = splat(np.float32(1.0) / scratch[sums_at + row])
                for channel in range(0, size, LANES):
                    place, left = dest + row * out_step + channel, size - channel
                    if left >= LANES:
                        store(load(out, place) * factor, out, place)
                    else:
                        store_part(load_part(out, place, left) * factor, out, place, left)
