"""Permutations of the axes of tensors."""

from __future__ import annotations

from typing import Any

from numba import types

from lite.kernels.cpu.compiled.jit import emit
from lite.kernels.cpu.compiled.jit.decorators import inner, instruction
from lite.kernels.cpu.compiled.jit.emit import Emitted
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import transpose_block
from lite.kernels.cpu.compiled.microkernels.copy_row import copy_row
from lite.kernels.cpu.tile_sizes import LANES, TRANSPOSED

_LINE = 16
"""Elements of a cache line: rows that are transposed together, so that each line is written once."""


@entry("r", "w", "i", "i", "i", "i", "i", "i")
def gather_rows(
    x: Any, out: Any, second: int, third: int, step: int, second_step: int, third_step: int, width: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """``out[i, j, k, :] = x[i · step + j · second_step + k · third_step:][:width]`` for flat `x`.

    Axis j has `second` elements and k `third`; work items `begin` to `end` are pairs of i and j.
    """
    for item in range(begin, end):
        start = item // second * step + item % second * second_step
        dest = item * third * width
        for _ in range(third):
            copy_row(x, start, out, dest, width)
            dest += width
            start += third_step


def _rows(builder: Any, source: Emitted, step: Emitted, count: Emitted) -> list[Emitted]:
    """The addresses of `LANES` rows, `step` elements apart; after `count` rows, of the last one.

    Masked loads from a page that does not exist take hundreds of times as long as other loads.
    """
    rows = []
    for n in range(LANES):
        is_there = builder.icmp_signed("<", emit.integer(n), count)
        row = builder.select(is_there, emit.integer(n), builder.sub(count, emit.integer(1)))
        rows.append(emit.at(builder, source, builder.mul(step, row)))
    return rows


@instruction
def transpose_part(
    typing: Any, x: Any, start: Any, step: Any, rows: Any, columns: Any, out: Any, dest: Any, out_step: Any
) -> Any:
    """`transpose_block` of the first `rows` rows and `columns` columns of a block."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        source = emit.at(builder, emit.data(context, builder, sig.args[0], args[0]), args[1])
        target = emit.at(builder, emit.data(context, builder, sig.args[5], args[5]), args[6])
        inside = emit.first_lanes(builder, args[4])
        vectors = [emit.load_masked(builder, row, inside) for row in _rows(builder, source, args[2], args[3])]
        mask = emit.first_lanes(builder, args[3])
        for n, column in enumerate(emit.transposed(builder, vectors)):
            with builder.if_then(builder.icmp_signed("<", emit.integer(n), args[4])):
                row = emit.at(builder, target, builder.mul(args[7], emit.integer(n)))
                emit.store_part(builder, column, row, mask)
        return context.get_dummy_value()

    i = types.int64
    return types.void(x, i, i, i, i, out, i, i), generate


@instruction
def transpose_few_rows(typing: Any, x: Any, start: Any, step: Any, rows: Any, out: Any, dest: Any) -> Any:
    """Write `LANES` columns of `rows` elements one after the other, and undefined elements after the last."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        source = emit.at(builder, emit.data(context, builder, sig.args[0], args[0]), args[1])
        target = emit.at(builder, emit.data(context, builder, sig.args[4], args[4]), args[5])
        vectors = [emit.load(builder, row) for row in _rows(builder, source, args[2], args[3])]
        for n, column in enumerate(emit.transposed(builder, vectors)):
            emit.store(builder, column, emit.at(builder, target, builder.mul(args[3], emit.integer(n))))
        return context.get_dummy_value()

    i = types.int64
    return types.void(x, i, i, i, out, i), generate


@inner
def _transpose_few(
    x: Any, start: int, step: int, rows: int, columns: int, out: Any, dest: int, out_step: int
) -> None:
    """`transpose_matrix` of fewer rows than lanes."""
    column = 0
    # Whole vectors reach into the next columns, which are written later.  Masked stores of a few elements
    # each take up to a hundred times as long.
    while out_step == rows and column < columns - 2 * LANES:
        transpose_few_rows(x, start + column, step, rows, out, dest + column * rows)
        column += LANES
    for j in range(column, columns):
        for i in range(rows):
            out[dest + j * out_step + i] = x[start + i * step + j]


@inner
def transpose_matrix(
    x: Any, start: int, step: int, rows: int, columns: int, out: Any, dest: int, out_step: int
) -> None:
    """Transpose a matrix; its rows are `step` elements apart, and the rows of the result `out_step`."""
    if rows < LANES:
        _transpose_few(x, start, step, rows, columns, out, dest, out_step)
        return
    if columns < LANES:
        for i in range(0, rows, LANES):
            for j in range(0, columns, LANES):
                transpose_part(
                    x,
                    start + i * step + j,
                    step,
                    rows - i,
                    columns - j,
                    out,
                    dest + j * out_step + i,
                    out_step,
                )
        return
    for line in range(0, rows, _LINE):
        for column in range(0, columns, LANES):
            # The last block is moved back over rows or columns that were written before.
            j = min(column, columns - LANES)
            for row in range(line, min(line + _LINE, rows), LANES):
                i = min(row, rows - LANES)
                transpose_block(x, start + i * step + j, step, out, dest + j * out_step + i, out_step)


@entry("r", "w", "i", "i", "i", "i", "i", "i", "i", "i", "i", "i", "i", "i")
def transpose_axes(
    x: Any, out: Any, second: int, third: int, step: int, second_step: int, third_step: int, out_step: int,
    second_out_step: int, third_out_step: int, rows: int, row_step: int, columns: int, column_out_step: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """``out[i, j, k, c, r] = x[i, j, k, r, c]``; steps are the strides of axes, in elements.

    Axis j has `second` elements and k `third`.  Columns are neighbours in `x`, rows are neighbours in `out`.
    Work items `begin` to `end` are strips of the matrices i, j, k: `TRANSPOSED` rows or columns, whichever
    are more.
    """
    longer = max(rows, columns)
    strips, count = (longer + TRANSPOSED - 1) // TRANSPOSED, min(longer, TRANSPOSED)
    for item in range(begin, end):
        # The last strip is moved back over elements of the strip before it.
        matrix, first = item // strips, min(item % strips * TRANSPOSED, longer - count)
        i, j, k = matrix // third // second, matrix // third % second, matrix % third
        start = i * step + j * second_step + k * third_step
        dest = i * out_step + j * second_out_step + k * third_out_step
        if rows > columns:
            start, dest = start + first * row_step, dest + first
            transpose_matrix(x, start, row_step, count, columns, out, dest, column_out_step)
        else:
            start, dest = start + first, dest + first * column_out_step
            transpose_matrix(x, start, row_step, rows, count, out, dest, column_out_step)
