"""Tensors whose axes change places."""

from __future__ import annotations

from typing import Any

from numba.core import types

from lite.kernels.cpu.compiled import emit
from lite.kernels.cpu.compiled.entry import entry
from lite.kernels.cpu.compiled.jit import inner, instruction
from lite.kernels.cpu.compiled.vector import copy, load_part, store_part, turn_block
from lite.kernels.cpu.tile_sizes import LANES
from lite.kernels.cpu.work_items import TURNED_COLUMNS

_LINE = 16
"""Elements of a line of the cache: what is turned before the next columns, so that lines are written once."""


@entry("r", "w", "i", "i", "i", "i", "i", "i")
def gather_rows(
    x: Any, out: Any, second: int, third: int, step: int, second_step: int, third_step: int, width: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """``out[i, j, k, :] = x[i · step + j · second_step + k · third_step:][:width]`` for flat `x`.

    Axis j has `second` elements and k `third`; pieces `begin` to `end` are pairs of i and j.
    """
    for piece in range(begin, end):
        start = piece // second * step + piece % second * second_step
        goal = piece * third * width
        for _ in range(third):
            if width >= 8 * LANES:
                copy(out, goal, x, start, width)
            else:
                for n in range(0, width, LANES):
                    store_part(load_part(x, start + n, width - n), out, goal + n, width - n)
            goal += width
            start += third_step


@instruction
def turn_part(
    typing: Any, x: Any, start: Any, step: Any, rows: Any, columns: Any, out: Any, goal: Any, out_step: Any
) -> Any:
    """As `turn_block`, but of the first `rows` rows and `columns` columns."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        source = emit.at(builder, emit.data(context, builder, sig.args[0], args[0]), args[1])
        target = emit.at(builder, emit.data(context, builder, sig.args[5], args[5]), args[6])
        vectors = []
        for n in range(LANES):
            is_there = builder.icmp_signed("<", emit.integer(n), args[3])
            count = builder.select(is_there, args[4], emit.integer(0))
            row = emit.at(builder, source, builder.mul(args[2], emit.integer(n)))
            vectors.append(emit.load_masked(builder, row, emit.first_lanes(builder, count)))
        mask = emit.first_lanes(builder, args[3])
        for n, column in enumerate(emit.turned(builder, vectors)):
            with builder.if_then(builder.icmp_signed("<", emit.integer(n), args[4])):
                row = emit.at(builder, target, builder.mul(args[7], emit.integer(n)))
                emit.store_masked(builder, column, row, mask)
        return context.get_dummy_value()

    i = types.int64
    return types.void(x, i, i, i, i, out, i, i), generate


@instruction
def turn_few_rows(typing: Any, x: Any, start: Any, step: Any, rows: Any, out: Any, goal: Any) -> Any:
    """Write `LANES` columns of so few rows one behind the other, and anything behind the last."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        source = emit.at(builder, emit.data(context, builder, sig.args[0], args[0]), args[1])
        target = emit.at(builder, emit.data(context, builder, sig.args[4], args[4]), args[5])
        vectors = []
        for n in range(LANES):
            is_there = builder.icmp_signed("<", emit.integer(n), args[3])
            count = builder.select(is_there, emit.integer(LANES), emit.integer(0))
            row = emit.at(builder, source, builder.mul(args[2], emit.integer(n)))
            vectors.append(emit.load_masked(builder, row, emit.first_lanes(builder, count)))
        for n, column in enumerate(emit.turned(builder, vectors)):
            emit.store(builder, column, emit.at(builder, target, builder.mul(args[3], emit.integer(n))))
        return context.get_dummy_value()

    i = types.int64
    return types.void(x, i, i, i, out, i), generate


@inner
def _turn_few(
    x: Any, start: int, step: int, rows: int, columns: int, out: Any, goal: int, out_step: int
) -> None:
    """`turn_matrix` of fewer rows than lanes."""
    column = 0
    # Whole vectors run over into the next columns, which are written later.  Parts of vectors, one at every
    # few elements, take up to a hundred times as long.
    while out_step == rows and column < columns - 2 * LANES:
        turn_few_rows(x, start + column, step, rows, out, goal + column * rows)
        column += LANES
    for j in range(column, columns):
        for i in range(rows):
            out[goal + j * out_step + i] = x[start + i * step + j]


@inner
def turn_matrix(
    x: Any, start: int, step: int, rows: int, columns: int, out: Any, goal: int, out_step: int
) -> None:
    """Write `rows` rows of `columns` elements, `step` apart, as columns whose rows are `out_step` apart."""
    if rows < LANES:
        _turn_few(x, start, step, rows, columns, out, goal, out_step)
        return
    if columns < LANES:
        for i in range(0, rows, LANES):
            for j in range(0, columns, LANES):
                turn_part(
                    x,
                    start + i * step + j,
                    step,
                    rows - i,
                    columns - j,
                    out,
                    goal + j * out_step + i,
                    out_step,
                )
        return
    for line in range(0, rows, _LINE):
        for column in range(0, columns, LANES):
            # A block that would end behind the last row or column is moved back over what is done already.
            j = min(column, columns - LANES)
            for row in range(line, min(line + _LINE, rows), LANES):
                i = min(row, rows - LANES)
                turn_block(x, start + i * step + j, step, out, goal + j * out_step + i, out_step)


@entry("r", "w", "i", "i", "i", "i", "i", "i", "i", "i", "i", "i", "i", "i")
def turn_axes(
    x: Any, out: Any, second: int, third: int, step: int, second_step: int, third_step: int, out_step: int,
    second_out_step: int, third_out_step: int, rows: int, row_step: int, columns: int, column_out_step: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """``out[i, j, k, c, r] = x[i, j, k, r, c]`` where the axes lie as far apart as the steps say.

    Axis j has `second` elements and k `third`.  Columns are next to each other in `x`, rows in `out`.
    Pieces `begin` to `end` are strips of `TURNED_COLUMNS` columns of the matrices i, j, k.
    """
    strips = (columns + TURNED_COLUMNS - 1) // TURNED_COLUMNS
    for piece in range(begin, end):
        matrix, column = piece // strips, piece % strips * TURNED_COLUMNS
        i, j, k = matrix // third // second, matrix // third % second, matrix % third
        start = i * step + j * second_step + k * third_step + column
        goal = i * out_step + j * second_out_step + k * third_out_step + column * column_out_step
        turn_matrix(
            x, start, row_step, rows, min(TURNED_COLUMNS, columns - column), out, goal, column_out_step
        )
