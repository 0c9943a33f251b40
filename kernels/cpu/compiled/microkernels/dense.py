"""Products of rows with a panel of weights, by dense tiles that are chosen at run time."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.codes import CONTINUED
from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.microkernels.tiles import FEW, FEW_PIXELS, TWO_PIXELS, dense_tile
from lite.kernels.cpu.tile_sizes import DEPTHS, LANES, ROW_BLOCK, ROWS

tile = dense_tile(ROWS)
"""The tiles of ``ROWS[columns]`` pixels, of `FEW`, of two, and of one, as `dense_tile` describes."""


@inner
def tile_for(columns: int, left: int) -> tuple[int, int]:
    """The pixels of the largest tile for `left` rows, and what selects it."""
    if left >= ROWS[columns]:
        return ROWS[columns], columns
    if left >= FEW:
        return FEW, columns + FEW_PIXELS
    if left >= 2:
        return 2, columns + TWO_PIXELS
    return 1, -columns


@inner
def product(
    columns: int, x: int, count: int, depth: int, w: Any, place: int, bias: Any, channel: int, left: int,
    flags: int, parameters: Any, residual: Any, scale: Any, shift: Any, out: Any, dest: int, out_step: int,
) -> None:  # fmt: skip
    """Multiply `count` rows of `depth` elements, from address `x` on, by a panel of weights.

    The panel begins at index `place` of `w`; its first channel is `channel`, of `left` remaining ones.
    Rows of the result are `out_step` elements apart from index `dest` on.
    """
    step, kind = tile_for(columns, count)
    row = 0
    while row < count:
        # The last tile is moved back over rows that were computed before.
        start = min(row, count - step)
        tile(
            kind, x + 4 * start * depth, depth, 0, 0, 1, 1, depth, depth, w, place, bias, channel, left,
            flags, parameters, residual, scale, shift, out, dest + start * out_step, out_step,
        )  # fmt: skip
        row = start + step


@inner
def product_panels(
    columns: int, x: int, count: int, depth: int, w: Any, place: int, bias: Any, first: int, end: int,
    flags: int, parameters: Any, residual: Any, scale: Any, shift: Any, out: Any, dest: int, out_step: int,
) -> None:  # fmt: skip
    """Multiply `count` rows of `depth` elements, from address `x` on, by the panels of `first` to `end`.

    These are channels; `place`, an index of `w`, and `dest` are those of channel 0.  Parts of long rows are
    multiplied by all panels one after the other, so that the caches hold what is read again.
    """
    panel, most = columns * LANES, DEPTHS[columns]
    if depth <= most or count <= ROWS[columns]:
        for channel in range(first, end, panel):
            product(
                columns, x, count, depth, w, place + channel * depth, bias, channel, end - channel,
                flags, parameters, residual, scale, shift, out, dest + channel, out_step,
            )  # fmt: skip
        return
    parts = (depth + most - 1) // most
    size = (depth + parts - 1) // parts
    for start in range(0, depth, size):
        product_part(
            columns, x + 4 * start, depth, count, start, min(size, depth - start), depth, w, place, bias,
            first, end, flags, parameters, residual, scale, shift, out, dest, out_step,
        )  # fmt: skip


@inner
def product_part(
    columns: int, x: int, step: int, count: int, start: int, length: int, depth: int, w: Any, place: int,
    bias: Any, first: int, end: int, flags: int, parameters: Any, residual: Any, scale: Any, shift: Any,
    out: Any, dest: int, out_step: int,
) -> None:  # fmt: skip
    """Add the products of elements `start` to ``start + length`` of `count` rows of `depth` elements.

    These elements begin at address `x`, and the next row's `step` elements after it.  The first part begins
    the sums, and the last one applies the epilogue.
    """
    panel = columns * LANES
    steps = flags if start + length == depth else 0
    if start:
        steps |= CONTINUED
    for channel in range(first, end, panel):
        row = 0
        while row < count:
            # Tiles do not overlap: a second one would add its products again.
            size, kind = tile_for(columns, count - row)
            tile(
                kind, x + 4 * row * step, step, 0, 0, 1, 1, length, depth, w,
                place + channel * depth + start * panel, bias, channel, end - channel, steps,
                parameters, residual, scale, shift, out, dest + row * out_step + channel, out_step,
            )  # fmt: skip
            row += size


@inner
def row_range(rows: int, columns: int, channels: int, begin: int, end: int) -> tuple[int, int, int, int]:
    """The first and the end of rows, and of channels, of a work item of `tile_sizes.shared_range`."""
    if rows:
        return 0, rows, begin * columns * LANES, min(end * columns * LANES, channels)
    return begin, end, 0, channels


@inner
def block_rows(depth: int, columns: int) -> int:
    """Rows, in whole tiles, of which the parts that are multiplied at once stay in the second-level cache."""
    rows = ROWS[columns]
    return max(ROW_BLOCK // min(depth, DEPTHS[columns]) // rows, 1) * rows
