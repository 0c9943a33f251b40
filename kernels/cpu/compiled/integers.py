"""Matrix products of two integer operands: see `integer_tiles`."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.codes import KIND
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import address
from lite.kernels.cpu.compiled.microkernels.integer_tiles import integer_tile, move_groups, pack_column
from lite.kernels.cpu.compiled.microkernels.post_activation import apply_post_activation
from lite.kernels.cpu.compiled.microkernels.tiles import FEW, FEW_PIXELS
from lite.kernels.cpu.tile_sizes import LANES, ROWS

_tile = integer_tile(ROWS)

_BLOCK = 1 << 16
"""Bytes of the rows that are multiplied by one panel after the other; they fit in a second-level cache."""

_EVERY = 0x01010101
"""A byte in each of four."""


@entry("b", "b", "c", "j", "i", "i", "i")
def pack_rows(
    x: Any, zeros: Any, rows: Any, terms: Any, depth: int, flip: int, zero_count: int, begin: int, end: int
) -> None:
    """Pack rows `begin` to `end` of `x` ``uint8[…, depth]``, and the terms of each.

    Rows are filled up to groups of four bytes.  Bytes, also those of the `zero_count` zero points, are
    combined with `flip` by exclusive or.
    """
    groups = depth // 4
    size = (depth + 3) // 4 * 4
    for row in range(begin, end):
        total = move_groups(x, row * depth, groups, flip * _EVERY, rows, row * size)
        for n in range(4 * groups, depth):
            byte = x[row * depth + n] ^ flip
            rows[row * size + n] = byte
            total += byte
        for n in range(depth, size):
            rows[row * size + n] = 0
        zero = zeros[row % zero_count] ^ flip
        terms[2 * row] = zero
        terms[2 * row + 1] = total - depth * zero


@entry("b", "b", "c", "j", "i", "i", "i", "i", "i")
def pack_columns(
    y: Any, zeros: Any, w: Any, columns: Any, depth: int, channels: int, panel: int, flip: int,
    zero_count: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Pack panels `begin` to `end`, counted over the matrices ``[depth, channels]`` of `y`, and sum them.

    Panels are ``int8[depth / 4, panel, 4]``, padded with zeros.  Bytes, also those of the `zero_count` zero
    points, are combined with `flip` by exclusive or, and are signed then.
    """
    panels = (channels + panel - 1) // panel
    size = (depth + 3) // 4 * 4 * panel
    for item in range(begin, end):
        matrix, channel = item // panels, item % panels * panel
        for n in range(0, panel, LANES):
            pack_column(
                y, matrix * depth * channels + channel + n, channels, depth, channels - channel - n, flip, w,
                item * size + 4 * n, 4 * panel, columns, 2 * item * panel + n,
            )  # fmt: skip
        first = (2 * item + 1) * panel
        for n in range(panel):
            columns[first + n] = 0
            if channel + n < channels:
                byte = zeros[(matrix * channels + channel + n) % zero_count] ^ flip
                columns[first + n] = byte - 256 if byte > 127 else byte


@entry(
    "b", "j", "b", "j", "r", "r", "r", "w", "c", "j", "i", "i", "i", "i", "i", "i", "i", "f", "f"
)  # fmt: skip
def multiply(
    x: Any, terms: Any, w: Any, columns: Any, factors: Any, biases: Any, parameters: Any, out: Any,
    codes: Any, sums: Any, flags: int, width: int, rows: int, depth: int, channels: int, firsts: int,
    others: int, out_scale: float, out_zero: float, begin: int, end: int,
) -> None:  # fmt: skip
    """Rows `begin` to `end` of the results, counted over the matrices of `rows` rows.

    Matrix n is the product of the packed rows ``n % firsts`` and of the packed columns ``n % others``; rows
    have `depth` groups of four bytes, and panels `width` vectors.
    """
    panel = width * LANES
    panels = (channels + panel - 1) // panel
    block = max(_BLOCK // (4 * depth) // ROWS[width], 1) * ROWS[width]
    first = begin
    while first < end:
        matrix = first // rows
        count = min(block, min(end, (matrix + 1) * rows) - first)
        source = matrix % firsts * rows + first % rows
        step, kind = ROWS[width], width
        if FEW <= count < step:
            step, kind = FEW, width + FEW_PIXELS
        elif count < step:
            step, kind = 1, -width
        for item in range(panels):
            place = matrix % others * panels + item
            channel = item * panel
            row = 0
            while row < count:
                # The last tile is moved back over rows that were computed before.
                start = min(row, count - step)
                _tile(
                    kind, address(x, 4 * (source + start) * depth), 4 * depth, depth, w,
                    4 * place * panel * depth, columns, 2 * place * panel, terms, 2 * (source + start),
                    factors, biases, sums, channel, channels - channel, flags, parameters, factors, factors,
                    factors, out, codes, out_scale, out_zero, (first + start) * channels + channel, channels,
                )  # fmt: skip
                row = start + step
        if flags >> KIND:
            apply_post_activation(out, first * channels, count, channels, flags, parameters, factors, factors)
        first += count


@entry("r", "w", "i", "i")
def spread(numbers: Any, out: Any, size: int, channels: int, begin: int, end: int) -> None:
    """Numbers `begin` to `end` of `out`: those of `channels` channels, of `size` in turn, and then zeros."""
    for n in range(begin, end):
        out[n] = numbers[n % size] if n < channels else 0
