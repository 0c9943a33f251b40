"""Images from NCHW to NHWC and back, and copies of columns of matrices."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.entry import entry
from lite.kernels.cpu.compiled.vector import copy, load, load_part, store, store_part, transpose_block
from lite.kernels.cpu.tile_sizes import LANES, STRIP


@entry("r", "w", "i", "i", "i")
def transpose_images(x: Any, out: Any, batch: int, rows: int, columns: int, begin: int, end: int) -> None:
    """``out[n, j, i] = x[n, i, j]`` for the strips `begin` to `end` of `STRIP` columns j."""
    whole_rows = rows // LANES * LANES
    for n in range(batch):
        base = n * rows * columns
        for strip in range(begin, end):
            first, last = strip * STRIP, min((strip + 1) * STRIP, columns)
            whole = first + (last - first) // LANES * LANES
            for i in range(0, whole_rows, LANES):
                for j in range(first, whole, LANES):
                    transpose_block(x, base + i * columns + j, columns, out, base + j * rows + i, rows)
                for j in range(whole, last):
                    for k in range(i, i + LANES):
                        out[base + j * rows + k] = x[base + k * columns + j]
            for j in range(first, last):
                for i in range(whole_rows, rows):
                    out[base + j * rows + i] = x[base + i * columns + j]


@entry("r", "w", "i", "i", "i", "i", "i")
def copy_columns(
    x: Any, out: Any, width: int, stride: int, column: int, out_stride: int, out_column: int, begin: int,
    end: int,
) -> None:  # fmt: skip
    """Copy `width` columns of rows `begin` to `end`, from `column` of `x` to `out_column` of `out`.

    Rows are `stride` elements apart in `x`, and `out_stride` in `out`.
    """
    whole = width // LANES * LANES
    for row in range(begin, end):
        source, dest = row * stride + column, row * out_stride + out_column
        if width > 32 * LANES:
            copy(out, dest, x, source, width)
        else:
            for n in range(0, whole, LANES):
                store(load(x, source + n), out, dest + n)
            if whole < width:
                store_part(load_part(x, source + whole, width - whole), out, dest + whole, width - whole)
