"""From NCHW to NHWC and back, and copies of rows."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit import entry
from lite.kernels.cpu.compiled.machine import LANES
from lite.kernels.cpu.compiled.vector import copy, load_part, store_part, turn_block

STRIP = 4 * LANES
"""Columns that are turned in one go: whole lines of the cache."""


@entry("r3", "w3", "i", "i")
def turn(x: Any, out: Any, begin: int, end: int) -> None:
    """``out[n, j, i] = x[n, i, j]`` for strips of `STRIP` columns j from `begin` to `end`."""
    rows, columns = x.shape[1], x.shape[2]
    whole_rows = rows // LANES * LANES
    for n in range(x.shape[0]):
        for strip in range(begin, end):
            first, last = strip * STRIP, min((strip + 1) * STRIP, columns)
            whole = first + (last - first) // LANES * LANES
            for i in range(0, whole_rows, LANES):
                for j in range(first, whole, LANES):
                    turn_block(
                        x, (n * rows + i) * columns + j, columns, out, (n * columns + j) * rows + i, rows
                    )
                for j in range(whole, last):
                    for k in range(i, i + LANES):
                        out[n, j, k] = x[n, k, j]
            for j in range(first, last):
                for i in range(whole_rows, rows):
                    out[n, j, i] = x[n, i, j]


@entry("r2", "w2", "i", "i", "i")
def place_columns(x: Any, out: Any, column: int, begin: int, end: int) -> None:
    """Copy rows `begin` to `end` of a matrix into columns of another, from `column` on."""
    width, stride = x.shape[1], out.shape[1]
    for row in range(begin, end):
        source, goal = row * width, row * stride + column
        if width > 32 * LANES:
            copy(out, goal, x, source, width)
        else:
            for n in range(0, width, LANES):
                store_part(load_part(x, source + n, width - n), out, goal + n, width - n)
