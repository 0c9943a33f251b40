"""From NCHW to NHWC and back, and copies of rows."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit import entry
from lite.kernels.cpu.compiled.vector import copy

_BLOCK = 32
"""Pixels, and channels, that are turned at a time: they stay in the first-level cache."""


@entry("r3", "w3", "i", "i")
def turn(x: Any, out: Any, begin: int, end: int) -> None:
    """``out[n, j, i] = x[n, i, j]`` for blocks `begin` to `end` of the longer of the last two axes."""
    rows, columns = x.shape[1], x.shape[2]
    for n in range(x.shape[0]):
        for block in range(begin, end):
            if columns >= rows:
                first, last = block * _BLOCK, min((block + 1) * _BLOCK, columns)
                for top in range(0, rows, _BLOCK):
                    for j in range(first, last):
                        for i in range(top, min(top + _BLOCK, rows)):
                            out[n, j, i] = x[n, i, j]
            else:
                first, last = block * _BLOCK, min((block + 1) * _BLOCK, rows)
                for left in range(0, columns, _BLOCK):
                    for j in range(left, min(left + _BLOCK, columns)):
                        for i in range(first, last):
                            out[n, j, i] = x[n, i, j]


@entry("r2", "w2", "i", "i", "i")
def place_columns(x: Any, out: Any, column: int, begin: int, end: int) -> None:
    """Copy rows `begin` to `end` of a matrix into columns of another, from `column` on."""
    width, stride = x.shape[1], out.shape[1]
    for row in range(begin, end):
        copy(out, row * stride + column, x, row * width, width)
