"""Images from NCHW to NHWC and back, and copies of columns of matrices."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.entry import entry
from lite.kernels.cpu.compiled.jit import inlined
from lite.kernels.cpu.compiled.vector import copy, load, load_part, store, store_part, transpose_block
from lite.kernels.cpu.tile_sizes import LANES, STRIP


@inlined
def copy_row(x: Any, start: int, out: Any, dest: int, width: int) -> None:
    """Copy `width` elements; no overlap."""
    if width > 32 * LANES:
        copy(out, dest, x, start, width)
    elif width >= LANES:
        last = width - LANES
        for n in range(0, last, LANES):
            store(load(x, start + n), out, dest + n)
        # The last vector is moved back over elements that were copied before: a masked store takes longer.
        store(load(x, start + last), out, dest + last)
    else:
        store_part(load_part(x, start, width), out, dest, width)


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
    for row in range(begin, end):
        copy_row(x, row * stride + column, out, row * out_stride + out_column, width)
