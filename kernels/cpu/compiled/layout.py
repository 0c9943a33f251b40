"""Images from NCHW to NHWC and back, and copies of columns of matrices."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.microkernels.copy_row import copy_row
from lite.kernels.cpu.compiled.transpose import transpose_matrix
from lite.kernels.cpu.tile_sizes import STRIP


@entry("r", "w", "i", "i", "i")
def transpose_images(x: Any, out: Any, batch: int, rows: int, columns: int, begin: int, end: int) -> None:
    """``out[n, j, i] = x[n, i, j]`` for the strips `begin` to `end` of `STRIP` columns j."""
    for n in range(batch):
        base = n * rows * columns
        for strip in range(begin, end):
            first = strip * STRIP
            count = min(STRIP, columns - first)
            transpose_matrix(x, base + first, columns, rows, count, out, base + first * rows, rows)


@entry("r", "w", "i", "i", "i", "i", "i")
def copy_columns(
    x: Any, out: Any, width: int, stride: int, column: int, out_stride: int, out_column: int, begin: int,
    end: int,
) -> None:  # fmt: skip
    """Copy `width` columns of rows `begin` to `end`, from `column` of `x` to `out_column` of `out`.

    Rows are `stride` elements apart in `x`, and `out_stride` in `out`.
    """
    for row in range(begin, end):
        copy_row(x, row * stride + column, out, row * out_stride + out_column, width)
