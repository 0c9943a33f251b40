"""Windows over images in NHWC: the parts that are inside the image, and copies of windows at its borders."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.vector import clear, copy
from lite.kernels.cpu.compiled.microkernels.copy_row import copy_row

(
    HEIGHT, WIDTH, CHANNELS, OUT_HEIGHT, OUT_WIDTH, OUT_CHANNELS,
    DOWN, RIGHT, DOWN_STRIDE, RIGHT_STRIDE, DOWN_DILATION, RIGHT_DILATION, ABOVE, LEFT, BATCH,
) = range(15)  # fmt: skip
"""The indices of sizes, strides, dilations and padding in a geometry, ``int64[15]``."""


@inner
def rows_inside(top: int, kernel: int, dilation: int, height: int) -> tuple[int, int]:
    """The first row of a window that is inside the image, and the number of rows that are inside."""
    first = 0 if top >= 0 else (-top + dilation - 1) // dilation
    last = min(kernel, (height - top + dilation - 1) // dilation)
    return first, max(last - first, 0)


@inner
def columns_inside(geometry: Any) -> tuple[int, int]:
    """The range of output columns whose windows are inside the image on both sides."""
    stride, left = geometry[RIGHT_STRIDE], geometry[LEFT]
    reach = (geometry[RIGHT] - 1) * geometry[RIGHT_DILATION]
    first = (left + stride - 1) // stride
    last = (geometry[WIDTH] - 1 - reach + left) // stride + 1
    return first, min(last, geometry[OUT_WIDTH])


@inner
def gather(
    x: Any, place: int, row_step: int, down: int, column: int, span: int, geometry: Any, patch: Any
) -> None:
    """Copy `span` pixels of `down` rows into `patch`, from `column` on, with zeros outside the image.

    `place` is the flat index of the first pixel of the first row; rows are `row_step` elements apart.
    """
    channels, width = geometry[CHANNELS], geometry[WIDTH]
    first = min(max(-column, 0), span)
    last = max(min(span, width - column), first)
    for i in range(down):
        target = i * span * channels
        clear(patch, target, first * channels)
        copy(
            patch,
            target + first * channels,
            x,
            place + i * row_step + (column + first) * channels,
            (last - first) * channels,
        )
        clear(patch, target + last * channels, (span - last) * channels)


@inner
def gather_part(
    x: Any, place: int, row_step: int, down: int, column: int, span: int, geometry: Any, taken: int,
    patch: Any,
) -> None:  # fmt: skip
    """Like `gather`, but of `taken` channels of each pixel, from flat index `place` on."""
    channels, width = geometry[CHANNELS], geometry[WIDTH]
    if taken == channels:
        gather(x, place, row_step, down, column, span, geometry, patch)
        return
    first = min(max(-column, 0), span)
    last = max(min(span, width - column), first)
    for i in range(down):
        target, source = i * span * taken, place + i * row_step + column * channels
        clear(patch, target, first * taken)
        for n in range(first, last):
            copy_row(x, source + n * channels, patch, target + n * taken, taken)
        clear(patch, target + last * taken, (span - last) * taken)
