"""Dense tiles of every shape, chosen at run time."""

from __future__ import annotations

from lite.kernels.cpu.compiled.machine import LANES, REGISTERS
from lite.kernels.cpu.compiled.tiles import dense_tile

MOST_COLUMNS = 4
"""Most vectors of channels in a tile."""

ROWS = (0, 14, 8, 8, 6) if REGISTERS > 16 else (0, 6, 5, 4, 3)
"""Pixels of a tile by its vectors of channels: what the registers hold beside the weights."""

tile = dense_tile(ROWS)
"""A tile of ``ROWS[columns]`` pixels, or of one; the arguments are those of `dense_tile`."""


def columns_for(channels: int) -> int:
    """How many vectors of channels a tile should have, so that few lanes stay empty."""
    vectors = -(-channels // LANES)
    return min(range(2, MOST_COLUMNS + 1), key=lambda n: (-(-vectors // n) * n, -n)) if vectors > 1 else 1
