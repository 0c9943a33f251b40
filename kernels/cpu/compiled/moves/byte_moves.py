"""Ops that move bytes, and maxima of bytes in NHWC."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from lite.kernels.cpu.compiled.jit import bounds, emit
from lite.kernels.cpu.compiled.jit.decorators import inner, instruction
from lite.kernels.cpu.compiled.jit.emit import at, integer
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.numba_internals import for_range
from lite.kernels.cpu.compiled.jit.vector import address
from lite.kernels.cpu.compiled.microkernels.bytes_in_memory import copy_bytes, fill_bytes
from lite.kernels.cpu.tile_sizes import LANES

_WIDTH = 4 * LANES
"""Bytes of a vector register."""

_BYTES = ir.VectorType(emit.BYTE, _WIDTH)

_INT = ir.IntType(32)

_ZEROS = ir.Constant(_BYTES, None)


@instruction
def _raise_bytes(typing: Any, x: Any, out: Any, source: Any, dest: Any, count: Any, flip: Any) -> Any:
    """Raise bytes of `out` from `dest` on to those of `x` from `source` on: whole vectors among `count`.

    Bytes are compared after an exclusive or with `flip`.
    """

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        first, second = (
            at(builder, emit.data(context, builder, sig.args[n], args[n]), args[2 + n]) for n in range(2)
        )
        single = builder.insert_element(_ZEROS, builder.trunc(args[5], emit.BYTE), ir.Constant(_INT, 0))
        flips = builder.shuffle_vector(single, _ZEROS, ir.Constant(ir.VectorType(_INT, _WIDTH), None))
        with for_range(builder, builder.sdiv(args[4], integer(_WIDTH))) as loop:
            offset = builder.mul(loop.index, integer(_WIDTH))
            pointers, vectors = [], []
            for base in (first, second):
                place = at(builder, base, offset)
                bounds.check(builder, place, _WIDTH)
                pointers.append(builder.bitcast(place, _BYTES.as_pointer()))
                vectors.append(builder.load(pointers[-1]))
                vectors[-1].align = 1
            is_greater = builder.icmp_unsigned(">", *(builder.xor(each, flips) for each in vectors))
            builder.store(builder.select(is_greater, *vectors), pointers[1]).align = 1
        return context.get_dummy_value()

    return types.void(x, out, *[types.int64] * 4), generate


@entry("a", "z", "n", "n", "n", "n", "n", "i")
def pool(
    x: Any, out: Any, tops: Any, bottoms: Any, lefts: Any, rights: Any, sizes: Any, flip: int, begin: int,
    end: int,
) -> None:  # fmt: skip
    """Maxima of windows, as `lite.kernels.cpu.compiled.pool.pool` has them; no window is empty.

    `flip` is 128 for signed bytes and 0 for others.
    """
    height, width, channels, rows, columns = sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]
    whole = channels // _WIDTH * _WIDTH
    start = address(out, 0)
    for line in range(begin, end):
        n, y = divmod(line, rows)
        for column in range(columns):
            dest = (line * columns + column) * channels
            fill_bytes(out, start + dest, channels, flip)
            for i in range(tops[y], bottoms[y]):
                place = ((n * height + i) * width + lefts[column]) * channels
                for _ in range(lefts[column], rights[column]):
                    _raise_bytes(x, out, place, dest, channels, flip)
                    for channel in range(whole, channels):
                        if x[place + channel] ^ flip > out[dest + channel] ^ flip:
                            out[dest + channel] = x[place + channel]
                    place += channels


@entry("b", "c", "n", "n", "n")
def take(x: Any, out: Any, rows: Any, columns: Any, sizes: Any, begin: int, end: int) -> None:
    """Nearest pixels, as `lite.kernels.cpu.compiled.resize.take` has them."""
    height, width, channels, out_rows, out_columns = sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]
    image, start = address(x, 0), address(out, 0)
    for line in range(begin, end):
        n, y = divmod(line, out_rows)
        dest = start + line * out_columns * channels
        if y > 0 and line > begin and rows[y] == rows[y - 1]:
            copy_bytes(out, dest, dest - out_columns * channels, out_columns * channels)
            continue
        source = image + (n * height + rows[y]) * width * channels
        for column in range(out_columns):
            copy_bytes(x, dest, source + columns[column] * channels, channels)
            dest += channels


@entry("a", "z", "i", "i", "i", "i", "i")
def copy_columns(
    x: Any, out: Any, width: int, stride: int, column: int, out_stride: int, out_column: int, begin: int,
    end: int,
) -> None:  # fmt: skip
    """Columns of rows, as `lite.kernels.cpu.compiled.moves.layout.copy_columns` has them; sizes are bytes."""
    source, dest = address(x, 0) + column, address(out, 0) + out_column
    for row in range(begin, end):
        copy_bytes(x, dest + row * out_stride, source + row * stride, width)


@entry("a", "z", "i", "i", "i", "i", "i", "i", "i", "i", "i")
def copy_box(
    x: Any, out: Any, start: int, second: int, third: int, fourth: int, step: int, second_step: int,
    third_step: int, fourth_step: int, width: int, begin: int, end: int,
) -> None:  # fmt: skip
    """A box, as `lite.kernels.cpu.compiled.moves.layout.copy_box` has it; sizes and steps are bytes.

    The bytes of the last axis, `width`, are neighbours.
    """
    source, dest = address(x, 0) + start, address(out, 0) + begin * third * fourth * width
    for item in range(begin, end):
        row = source + item // second * step + item % second * second_step
        for _ in range(third):
            place = row
            for _ in range(fourth):
                copy_bytes(x, dest, place, width)
                place, dest = place + fourth_step, dest + width
            row += third_step


_REPEATED = 1 << 14
"""Bytes that are copied at a time, from those that were written before: they are in the first-level cache."""


@inner
def _repeat(out: Any, start: int, width: int, total: int) -> None:
    """Repeat the first `width` of `total` bytes from the address `start` on."""
    most, done = max(width, _REPEATED // width * width), width
    while done < total:
        count = min(done, total - done, most)
        copy_bytes(out, start + done, start, count)
        done += count


@entry("a", "z", "i", "i", "i", "i", "i", "i", "i")
def repeat_rows(
    x: Any, out: Any, second: int, third: int, step: int, second_step: int, third_step: int, width: int,
    times: int, begin: int, end: int,
) -> None:  # fmt: skip
    """``out[i, j, k, n, :] = x[i · step + j · second_step + k · third_step:][:width]`` for flat bytes `x`.

    Axis j has `second` elements, k `third` and n `times`; work items `begin` to `end` are pairs of i and j.
    """
    source, total = address(x, 0), width * times
    dest = address(out, 0) + begin * third * total
    for item in range(begin, end):
        row = source + item // second * step + item % second * second_step
        for _ in range(third):
            copy_bytes(out, dest, row, width)
            _repeat(out, dest, width, total)
            dest, row = dest + total, row + third_step


@entry("a", "z", "i", "i", "i", "i", "i")
def keep_triangles(
    x: Any, out: Any, rows: int, width: int, size: int, diagonal: int, is_lower: int, begin: int, end: int
) -> None:
    """Rows `begin` to `end` of matrices of `rows` rows of `width` bytes, with zeros beyond a diagonal.

    Rows are counted over all matrices, and elements have `size` bytes.  The diagonal is kept: `diagonal`
    elements to the right of the main one.
    """
    source, target = address(x, 0), address(out, 0)
    for item in range(begin, end):
        place = item % rows + diagonal + (1 if is_lower else 0)
        first = min(max(place * size, 0), width)
        row, dest = source + item * width, target + item * width
        if is_lower:
            copy_bytes(out, dest, row, first)
            fill_bytes(out, dest + first, width - first, 0)
        else:
            fill_bytes(out, dest, first, 0)
            copy_bytes(out, dest + first, row + first, width - first)


@entry("a", "a", "n", "z", "i", "i", "i", "i", "i")
def append_rows(
    x: Any, updates: Any, starts: Any, out: Any, before: int, added: int, rows: int, width: int, heads: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """Heads `begin` to `end`, counted over the samples, of a cache of `rows` rows of `width` bytes.

    They are the first rows of `x`, which has `before` ones, as many as `starts` says for the sample; the
    `added` ones of `updates`; and zeros.  Where the cache is `x` itself, only the new rows are written.
    """
    source, new, target = address(x, 0), address(updates, 0), address(out, 0)
    for item in range(begin, end):
        start = min(max(starts[item // heads], 0), rows)
        kept, more = min(start, before), min(added, rows - start)
        dest = target + item * rows * width
        copy_bytes(out, dest + start * width, new + item * added * width, more * width)
        if target == source:
            continue
        copy_bytes(out, dest, source + item * before * width, kept * width)
        fill_bytes(out, dest + kept * width, (start - kept) * width, 0)
        fill_bytes(out, dest + (start + more) * width, (rows - start - more) * width, 0)


@entry("a", "n", "z", "m", "i", "i", "i", "i")
def reverse_rows(
    x: Any, lengths: Any, out: Any, failures: Any, steps: int, second: int, width: int, time_first: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """Slices of `width` bytes ``x[i, j]``, with the first ones of each sequence in reverse order.

    Axis j has `second` elements; i is the step and j the sequence if `time_first` is 1, else the other way
    round.  Work items `begin` to `end` are pairs of i and j.  A length beyond `steps` is noted in `failures`.
    """
    source, target = address(x, 0), address(out, 0)
    for item in range(begin, end):
        i, j = item // second, item % second
        step, length = (i, lengths[j]) if time_first else (j, lengths[i])
        if length > steps:
            failures[1] = length
            failures[2] = 0
            failures[0] = 1
            continue
        moved = length - 1 - 2 * step if step < length else 0
        row = item + moved * (second if time_first else 1)
        copy_bytes(out, target + item * width, source + row * width, width)
