"""Products of a few rows, for which packing the other matrix would take longer than the product."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from lite.kernels.cpu.compiled.jit import emit
from lite.kernels.cpu.compiled.jit.decorators import inner, instruction
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.numba_internals import for_range
from lite.kernels.cpu.compiled.jit.vector import VECTOR, fma, load, load_part, splat, store, store_part, total
from lite.kernels.cpu.tile_sizes import LANES


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
def dot(q: Any, start: int, k: Any, place: int, depth: int) -> np.float32:
    """The product of two rows of `depth` elements."""
    sums = splat(np.float32(0.0))
    for n in range(0, depth, LANES):
        sums = fma(load_part(q, start + n, depth - n), load_part(k, place + n, depth - n), sums)
    result: np.float32 = total(sums)
    return result


@inner
def weighted_sum(
    weights: Any, start: int, keys: int, v: Any, place: int, step: int, size: int, factor: Any, out: Any,
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


@inner
def _add_row(w: Any, y: Any, place: int, size: int, is_first: int, out: Any, dest: int) -> None:
    """Add a row of `size` elements times `w` to a row, or begin with it."""
    for n in range(0, size, LANES):
        left = size - n
        v = splat(np.float32(0.0)) if is_first else load_part(out, dest + n, left)
        store_part(fma(load_part(y, place + n, left), w, v), out, dest + n, left)


@inner
def _add_four_rows(
    x: Any, start: int, alpha: float, y: Any, place: int, size: int, is_first: int, out: Any, dest: int
) -> None:
    """Add four neighbouring rows times elements of `x` to a row, or begin with them."""
    w0, w1 = splat(x[start] * alpha), splat(x[start + 1] * alpha)
    w2, w3 = splat(x[start + 2] * alpha), splat(x[start + 3] * alpha)
    whole = size // LANES * LANES
    for n in range(0, whole, LANES):
        at = place + n
        v = splat(np.float32(0.0)) if is_first else load(out, dest + n)
        v = fma(load(y, at + size), w1, fma(load(y, at), w0, v))
        store(fma(load(y, at + 3 * size), w3, fma(load(y, at + 2 * size), w2, v)), out, dest + n)
    left = size - whole
    if left:
        at, to = place + whole, dest + whole
        v = splat(np.float32(0.0)) if is_first else load_part(out, to, left)
        v = fma(load_part(y, at + size, left), w1, fma(load_part(y, at, left), w0, v))
        v = fma(load_part(y, at + 2 * size, left), w2, v)
        store_part(fma(load_part(y, at + 3 * size, left), w3, v), out, to, left)


@entry("r", "r", "w", "f", "i", "i", "i", "i", "i")
def multiply_rows(
    x: Any, y: Any, out: Any, alpha: float, rows: int, depth: int, channels: int, others: int,
    is_transposed: int, begin: int, end: int,
) -> None:  # fmt: skip
    """`alpha` times the products of matrices `begin` to `end`, ``[rows, depth]``, and ``[depth, channels]``.

    The second matrices, of which there are `others`, are ``[channels, depth]`` where `is_transposed`.
    """
    for item in range(begin, end):
        place = item % others * depth * channels
        for row in range(item * rows, item * rows + rows):
            start, dest = row * depth, row * channels
            if not is_transposed:
                four = depth // 4 * 4
                for n in range(0, four, 4):
                    at = place + n * channels
                    _add_four_rows(x, start + n, alpha, y, at, channels, n == 0, out, dest)
                for n in range(four, depth):
                    at = place + n * channels
                    _add_row(splat(x[start + n] * alpha), y, at, channels, n == 0, out, dest)
            elif channels >= LANES:
                for first in range(0, channels, LANES):
                    # The last rows are read again, so that there are always `LANES` of them.
                    channel = min(first, channels - LANES)
                    dots = dot_products(x, start, y, place + channel * depth, depth, depth)
                    store(dots * splat(alpha), out, dest + channel)
            else:
                for channel in range(channels):
                    out[dest + channel] = alpha * dot(x, start, y, place + channel * depth, depth)
