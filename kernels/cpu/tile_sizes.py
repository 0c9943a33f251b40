"""How large the tiles of convolutions are: what the registers hold."""

from __future__ import annotations

from lite.kernels.cpu.machine import machine

LANES = machine().lanes
"""Elements of a vector."""

STRIP = 4 * LANES
"""Columns of a matrix that are turned in one go: whole lines of the cache."""

MOST_COLUMNS = 4
"""Most vectors of channels in a dense tile."""

ROWS = (0, 14, 8, 8, 6) if machine().registers > 16 else (0, 6, 5, 4, 3)
"""Pixels of a dense tile by its vectors of channels: what the registers hold beside the weights."""

DEPTHWISE_ROWS = 8 if machine().registers > 16 else 6
"""Pixels of a depthwise tile."""


def columns_for(channels: int) -> int:
    """How many vectors of channels a dense tile should have, so that few lanes stay empty."""
    vectors = -(-channels // LANES)
    return min(range(2, MOST_COLUMNS + 1), key=lambda n: (-(-vectors // n) * n, -n)) if vectors > 1 else 1
