"""Copies of columns of matrices, and of boxes."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import load_every, store
from lite.kernels.cpu.compiled.microkernels.copy_row import copy_row
from lite.kernels.cpu.tile_sizes import LANES


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


@inner
def _copy_every(x: Any, start: int, step: int, out: Any, dest: int, count: int) -> None:
    """Copy `count` elements that are `step` elements apart."""
    whole = count // LANES * LANES
    for n in range(0, whole, LANES):
        store(load_every(x, start + n * step, step), out, dest + n)
    for n in range(whole, count):
        out[dest + n] = x[start + n * step]


@entry("r", "w", "i", "i", "i", "i", "i", "i", "i", "i", "i", "i")
def copy_box(
    x: Any, out: Any, start: int, second: int, third: int, fourth: int, step: int, second_step: int,
    third_step: int, fourth_step: int, width: int, last_step: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Copy a box of five axes, which begins at `start`; its steps are the strides of its axes, in elements.

    The axes after the first have `second`, `third`, `fourth` and `width` elements.  Work items `begin` to
    `end` are pairs of indices of the first two.
    """
    dest = begin * third * fourth * width
    for item in range(begin, end):
        row = start + item // second * step + item % second * second_step
        for _ in range(third):
            place = row
            for _ in range(fourth):
                if last_step == 1:
                    copy_row(x, place, out, dest, width)
                else:
                    _copy_every(x, place, last_step, out, dest, width)
                place, dest = place + fourth_step, dest + width
            row += third_step
