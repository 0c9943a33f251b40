"""Nearest and bilinear resizing of images in NHWC, and nearest and weighted resizing along any axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from lite.kernels.cpu.compiled.jit import emit
from lite.kernels.cpu.compiled.jit.decorators import inner, instruction
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import VECTOR, copy, fma, load, load_part, splat, store_part
from lite.kernels.cpu.compiled.microkernels.copy_row import copy_row
from lite.kernels.cpu.tile_sizes import LANES


@entry("r", "w", "n", "n", "n")
def take(x: Any, out: Any, rows: Any, columns: Any, sizes: Any, begin: int, end: int) -> None:
    """Output rows `begin` to `end`, counted over the batch: ``out[n, i, j] = x[n, rows[i], columns[j]]``.

    `sizes` are the image's height, width and channels, and the output's numbers of rows and columns.
    """
    height, width, channels, out_rows, out_columns = sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]
    for line in range(begin, end):
        n, y = divmod(line, out_rows)
        dest = line * out_columns * channels
        if y > 0 and line > begin and rows[y] == rows[y - 1]:
            copy(out, dest, out, dest - out_columns * channels, out_columns * channels)
            continue
        source = (n * height + rows[y]) * width * channels
        for column in range(out_columns):
            place = source + columns[column] * channels
            for channel in range(0, channels, LANES):
                count = channels - channel
                store_part(load_part(x, place + channel, count), out, dest + channel, count)
            dest += channels


@entry("r", "w", "n", "n", "r", "n", "n", "r", "n")
def blend(
    x: Any, out: Any, tops: Any, bottoms: Any, down: Any, lefts: Any, rights: Any, right: Any, sizes: Any,
    begin: int, end: int,
) -> None:  # fmt: skip
    """Like `take`, with a weighted mean of four pixels.

    They are at rows `tops` and `bottoms`, columns `lefts` and `rights`; `down` are the weights of the rows
    `bottoms`, `right` those of the columns `rights`.
    """
    height, width, channels, out_rows, out_columns = sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]
    for line in range(begin, end):
        n, y = divmod(line, out_rows)
        above = (n * height + tops[y]) * width * channels
        below = (n * height + bottoms[y]) * width * channels
        lower = splat(down[y])
        upper = splat(1.0) - lower
        for column in range(out_columns):
            dest = (line * out_columns + column) * channels
            right_weight = splat(right[column])
            left_weight = splat(1.0) - right_weight
            first, second = lefts[column] * channels, rights[column] * channels
            for channel in range(0, channels, LANES):
                count = channels - channel
                a = load_part(x, above + first + channel, count) * left_weight
                a = fma(load_part(x, above + second + channel, count), right_weight, a)
                b = load_part(x, below + first + channel, count) * left_weight
                b = fma(load_part(x, below + second + channel, count), right_weight, b)
                store_part(fma(b, lower, a * upper), out, dest + channel, count)


@instruction
def _store_twice(typing: Any, vector: Any, array: Any, index: Any) -> Any:
    """Write each lane to two neighbouring elements, from a flat index on."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        base = emit.at(builder, emit.data(context, builder, sig.args[1], args[1]), args[2])
        undefined = ir.Constant(emit.VECTOR, ir.Undefined)
        for half in range(2):
            lanes = [(half * LANES + n) // 2 for n in range(LANES)]
            repeated = builder.shuffle_vector(args[0], undefined, ir.Constant(emit.INTS, lanes))
            emit.store(builder, repeated, emit.at(builder, base, half * LANES))
        return context.get_dummy_value()

    return types.void(VECTOR, array, types.int64), generate


@inner
def _double_row(x: Any, start: int, out: Any, dest: int, width: int) -> None:
    if width < LANES:
        for n in range(width):
            out[dest + 2 * n] = out[dest + 2 * n + 1] = x[start + n]
        return
    for n in range(0, width - LANES, LANES):
        _store_twice(load(x, start + n), out, dest + 2 * n)
    # The last vector is moved back over elements that were written before.
    last = width - LANES
    _store_twice(load(x, start + last), out, dest + 2 * last)


@entry("r", "w", "n", "n", "i", "i", "i")
def take_rows(
    x: Any, out: Any, rows: Any, columns: Any, width: int, out_width: int, repeats: int, begin: int, end: int
) -> None:
    """``out[i, j] = x[rows[i], columns[j]]`` for rows `begin` to `end`, of `width` elements in `x`.

    With `repeats`, 1 or 2, each column of `x` is repeated so often, and `columns` is not read.
    """
    for row in range(begin, end):
        dest, start = row * out_width, rows[row] * width
        if row > begin and rows[row] == rows[row - 1]:
            copy_row(out, dest - out_width, out, dest, out_width)
        elif repeats == 1:
            copy_row(x, start, out, dest, width)
        elif repeats == 2:
            _double_row(x, start, out, dest, width)
        else:
            for n in range(out_width):
                out[dest + n] = x[start + columns[n]]


@entry("r", "w", "n", "n", "r", "i", "i", "i", "i")
def combine_lines(
    x: Any, out: Any, starts: Any, counts: Any, weights: Any, taps: int, size: int, outs: int, width: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """``out[i, n, :] = Σ weights[n, k] · x[i, starts[n] + k, :]`` over ``counts[n]`` values of k.

    `weights` are ``[outs, taps]``, `x` is ``[…, size, width]``, `out` ``[…, outs, width]``.  Work items are
    pairs of i and n.
    """
    for line in range(begin, end):
        i, n = line // outs, line % outs
        start, count = (i * size + starts[n]) * width, counts[n]
        for j in range(0, width, LANES):
            total = splat(np.float32(0.0))
            for k in range(count):
                v = load_part(x, start + k * width + j, width - j)
                total = fma(v, splat(weights[n * taps + k]), total)
            store_part(total, out, line * width + j, width - j)


@entry("r", "w", "n", "n", "r", "i", "i", "i")
def combine_elements(
    x: Any, out: Any, starts: Any, counts: Any, weights: Any, taps: int, size: int, outs: int, begin: int,
    end: int,
) -> None:  # fmt: skip
    """`combine_lines` of width 1; work items are values of i."""
    for i in range(begin, end):
        for n in range(outs):
            start, total = i * size + starts[n], np.float32(0.0)
            for k in range(counts[n]):
                total += weights[n * taps + k] * x[start + k]
            out[i * outs + n] = total
