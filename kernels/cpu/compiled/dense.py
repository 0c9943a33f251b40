"""Products of rows with a panel of weights, by dense tiles that are chosen at run time."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit import inner
from lite.kernels.cpu.compiled.tiles import FEW, FEW_PIXELS, dense_tile
from lite.kernels.cpu.tile_sizes import ROWS

tile = dense_tile(ROWS)
"""The tiles of ``ROWS[columns]`` pixels, of `FEW`, and of one, as `dense_tile` describes."""


@inner
def product(
    columns: int, x: int, count: int, depth: int, w: Any, place: int, bias: Any, channel: int, left: int,
    flags: int, parameters: Any, residual: Any, scale: Any, shift: Any, out: Any, dest: int, out_step: int,
) -> None:  # fmt: skip
    """Multiply `count` rows of `depth` elements, from address `x` on, by a panel of weights.

    The panel begins at index `place` of `w`; its first channel is `channel`, of `left` remaining ones.
    Rows of the result are `out_step` elements apart from index `dest` on.
    """
    step, kind = ROWS[columns], columns
    if FEW <= count < step:
        step, kind = FEW, columns + FEW_PIXELS
    elif count < step:
        step, kind = 1, -columns
    row = 0
    while row < count:
        # The last tile is moved back over rows that were computed before.
        start = min(row, count - step)
        tile(
            kind, x + 4 * start * depth, depth, 0, 0, 1, 1, depth, w, place, bias, channel, left, flags,
            parameters, residual, scale, shift, out, dest + start * out_step, out_step,
        )  # fmt: skip
        row = start + step
