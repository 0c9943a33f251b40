"""Dense tiles of every shape, chosen at run time."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit import inner
from lite.kernels.cpu.compiled.tiles import FEW, FEW_PIXELS, dense_tile
from lite.kernels.cpu.tile_sizes import ROWS

tile = dense_tile(ROWS)
"""A tile of ``ROWS[columns]`` pixels, or of one; the arguments are those of `dense_tile`."""


@inner
def product(
    columns: int, x: int, count: int, depth: int, w: Any, place: int, bias: Any, channel: int, left: int,
    flags: int, parameters: Any, residual: Any, scale: Any, shift: Any, out: Any, goal: int, out_step: int,
) -> None:  # fmt: skip
    """`count` rows of `depth` elements from address `x` on, times a panel of weights.

    The panel begins at `place`, its first channel is `channel`, from which on there are `left`.  Rows of the
    result are `out_step` apart, from `goal` on.
    """
    step, kind = ROWS[columns], columns
    if FEW <= count < step:
        step, kind = FEW, columns + FEW_PIXELS
    elif count < step:
        step, kind = 1, -columns
    row = 0
    while row < count:
        # A tile that would end behind the last row is moved back over rows that are done already.
        start = min(row, count - step)
        tile(
            kind, x + 4 * start * depth, depth, 0, 0, 1, 1, depth, w, place, bias, channel, left, flags,
            parameters, residual, scale, shift, out, goal + start * out_step, out_step,
        )  # fmt: skip
        row = start + step
