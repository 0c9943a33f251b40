"""Permutations of the axes of tensors of elements of 1, 2 or 8 bytes, and of images of bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types

from lite.kernels.cpu.compiled.jit import bounds, emit
from lite.kernels.cpu.compiled.jit.decorators import inlined, inner, instruction
from lite.kernels.cpu.compiled.jit.emit import Emitted, at, integer
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import address
from lite.kernels.cpu.compiled.microkernels.bytes_in_memory import copy_bytes
from lite.kernels.cpu.compiled.microkernels.results import addresses
from lite.kernels.cpu.tile_sizes import LANES, TRANSPOSED

_ROWS = 4
"""Rows that are moved together: the bytes of a word."""

_WORD = ir.IntType(32)


def interleaved(builder: Any, rows: Sequence[Emitted]) -> Emitted:
    """The first lanes of four vectors of bytes, then the second ones, …"""
    every = ir.Constant(ir.VectorType(_WORD, 2 * LANES), list(range(2 * LANES)))
    first = builder.shuffle_vector(rows[0], rows[1], every)
    second = builder.shuffle_vector(rows[2], rows[3], every)
    order = [n + LANES * k for n in range(LANES) for k in range(4)]
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(_WORD, 4 * LANES), order))


@instruction
def _move_block(
    typing: Any, x: Any, start: Any, step: Any, count: Any, out: Any, dest: Any, out_step: Any
) -> Any:  # fmt: skip
    """Move `LANES` columns of four rows: each column is a word, and words are `out_step` bytes apart.

    Rows are `step` bytes apart; with a `count` below four, the other bytes of a word are 0.
    """
    i = types.int64

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        arrays = addresses(context, builder, sig.args, args)
        source, target = at(builder, arrays[0], args[1]), at(builder, arrays[4], args[5])
        rows = []
        for n in range(_ROWS):
            inside = builder.icmp_signed(">", args[3], integer(n))
            mask = emit.first_lanes(builder, builder.select(inside, integer(LANES), integer(0)))
            rows.append(
                emit.load_bytes_masked(builder, at(builder, source, builder.mul(args[2], integer(n))), mask)
            )
        words = builder.bitcast(interleaved(builder, rows), emit.INTS)
        for n in range(LANES):
            place = at(builder, target, builder.mul(args[6], integer(n)))
            bounds.check(builder, place, _ROWS)
            word = builder.extract_element(words, ir.Constant(_WORD, n))
            builder.store(word, builder.bitcast(place, _WORD.as_pointer())).align = 1
        return context.get_dummy_value()

    return types.void(x, i, i, i, out, i, i), generate


@inner
def _transpose_matrix(
    x: Any, start: int, step: int, rows: int, columns: int, out: Any, dest: int, out_step: int
) -> None:
    """Transpose a matrix; its rows are `step` bytes apart, and the rows of the result `out_step`."""
    # A word of fewer rows reaches into the next row of the result, which is written later.
    spill = 1 if rows < _ROWS else 0
    j = 0
    while j + LANES + spill <= columns and (rows >= _ROWS or out_step == rows):
        i = 0
        while i < rows:
            # The last rows are moved back over rows that were moved before.
            i = max(min(i, rows - _ROWS), 0)
            _move_block(x, start + i * step + j, step, rows - i, out, dest + j * out_step + i, out_step)
            i += _ROWS
        j += LANES
    for column in range(j, columns):
        for i in range(rows):
            out[dest + column * out_step + i] = x[start + i * step + column]


@entry("b", "c", "i", "i", "i")
def transpose_images(x: Any, out: Any, batch: int, rows: int, columns: int, begin: int, end: int) -> None:
    """``out[n, j, i] = x[n, i, j]`` for the columns j from `begin` to `end`."""
    for n in range(batch):
        base = n * rows * columns
        _transpose_matrix(x, base + begin, columns, rows, end - begin, out, base + begin * rows, rows)


@entry("a", "z", "i", "i", "i", "i", "i", "i")
def gather_rows(
    x: Any, out: Any, second: int, third: int, step: int, second_step: int, third_step: int, width: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """Copies of rows, as `compiled.moves.transpose.gather_rows` has them; sizes are bytes."""
    source, dest = address(x, 0), address(out, 0) + begin * third * width
    for item in range(begin, end):
        start = source + item // second * step + item % second * second_step
        for k in range(third):
            copy_bytes(x, dest, start + k * third_step, width)
            dest += width


_SQUARE = 16
"""Bytes of a row of a square of elements: a register."""

_LINE = 64
"""Bytes of a row of the result that are written together: a cache line."""


def _square(size: int) -> Any:
    side, element = _SQUARE // size, ir.IntType(8 * size)
    row, lane = ir.VectorType(element, side), ir.IntType(32)
    low = [n // 2 + side * (n % 2) for n in range(side)]
    halves = [ir.Constant(ir.VectorType(lane, side), [n + offset for n in low]) for offset in (0, side // 2)]

    @instruction
    def transpose(typing: Any, x: Any, start: Any, step: Any, out: Any, dest: Any, out_step: Any) -> Any:
        """Transpose a square; rows are `step` bytes apart, and those of the result `out_step`."""
        i = types.int64

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            arrays = addresses(context, builder, sig.args, args)
            source, target = at(builder, arrays[0], args[1]), at(builder, arrays[3], args[4])
            rows = []
            for n in range(side):
                place = at(builder, source, builder.mul(args[2], integer(n)))
                bounds.check(builder, place, _SQUARE)
                rows.append(builder.load(builder.bitcast(place, row.as_pointer())))
                rows[-1].align = 1
            # Each step interleaves the rows of both halves: the bits of row and column rotate by one.
            for _ in range(side.bit_length() - 1):
                pairs = zip(rows[: side // 2], rows[side // 2 :], strict=True)
                rows = [builder.shuffle_vector(a, b, half) for a, b in pairs for half in halves]
            for n, each in enumerate(rows):
                place = at(builder, target, builder.mul(args[5], integer(n)))
                bounds.check(builder, place, _SQUARE)
                builder.store(each, builder.bitcast(place, row.as_pointer())).align = 1
            return context.get_dummy_value()

        return types.void(x, i, i, out, i, i), generate

    return transpose


def _mover(size: int) -> Any:
    kind = ir.IntType(8 * size).as_pointer()

    @instruction
    def move(typing: Any, x: Any, start: Any, out: Any, dest: Any) -> Any:
        """Copy an element between byte offsets."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            arrays = addresses(context, builder, sig.args, args)
            source, target = at(builder, arrays[0], args[1]), at(builder, arrays[2], args[3])
            bounds.check(builder, source, size)
            bounds.check(builder, target, size)
            value = builder.load(builder.bitcast(source, kind))
            value.align = 1
            builder.store(value, builder.bitcast(target, kind)).align = 1
            return context.get_dummy_value()

        return types.void(x, types.int64, out, types.int64), generate

    return move


def _matrix(size: int) -> Any:
    side, square, move, line = _SQUARE // size, _square(size), _mover(size), _LINE // size

    @inlined
    def transpose(
        x: Any, start: int, step: int, rows: int, columns: int, out: Any, dest: int, out_step: int
    ) -> None:
        """Transpose a matrix; steps are bytes."""
        if rows < side or columns < side:
            for j in range(columns):
                for i in range(rows):
                    move(x, start + i * step + j * size, out, dest + j * out_step + i * size)
            return
        for first in range(0, rows, line):
            for column in range(0, columns, side):
                # The last square is moved back over rows or columns that were written before.
                j = min(column, columns - side)
                for row in range(first, min(first + line, rows), side):
                    i = min(row, rows - side)
                    square(
                        x, start + i * step + j * size, step, out, dest + j * out_step + i * size, out_step
                    )

    return transpose


_transpose_1, _transpose_2, _transpose_8 = (_matrix(size) for size in (1, 2, 8))


@inner
def _transpose(
    x: Any, start: int, step: int, rows: int, columns: int, out: Any, dest: int, out_step: int, size: int
) -> None:
    if size == 8:
        _transpose_8(x, start, step, rows, columns, out, dest, out_step)
    elif size == 2:
        _transpose_2(x, start, step, rows, columns, out, dest, out_step)
    elif rows < _SQUARE or columns < _SQUARE:
        _transpose_matrix(x, start, step, rows, columns, out, dest, out_step)
    else:
        _transpose_1(x, start, step, rows, columns, out, dest, out_step)


@entry("a", "z", "i", "i", "i", "i", "i", "i", "i", "i", "i", "i", "i", "i", "i")
def transpose_axes(
    x: Any, out: Any, second: int, third: int, step: int, second_step: int, third_step: int, out_step: int,
    second_out_step: int, third_out_step: int, rows: int, row_step: int, columns: int, column_out_step: int,
    size: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Transposed matrices, as `lite.kernels.cpu.compiled.moves.transpose.transpose_axes` has them.

    Steps are bytes, and elements have `size` bytes: 1, 2 or 8.
    """
    longer = max(rows, columns)
    strips, count = (longer + TRANSPOSED - 1) // TRANSPOSED, min(longer, TRANSPOSED)
    for item in range(begin, end):
        matrix, first = item // strips, min(item % strips * TRANSPOSED, longer - count)
        i, j, k = matrix // third // second, matrix // third % second, matrix % third
        start = i * step + j * second_step + k * third_step
        dest = i * out_step + j * second_out_step + k * third_out_step
        if rows > columns:
            start, dest = start + first * row_step, dest + first * size
            _transpose(x, start, row_step, count, columns, out, dest, column_out_step, size)
        else:
            start, dest = start + first * size, dest + first * column_out_step
            _transpose(x, start, row_step, rows, count, out, dest, column_out_step, size)
