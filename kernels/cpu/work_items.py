"""Into what pieces compiled functions cut their work."""

from __future__ import annotations

from lite.kernels.cpu.tile_sizes import LANES

REDUCED_COLUMNS = 64 * LANES
"""Columns of a matrix that are reduced in one go."""

TURNED_COLUMNS = 16 * LANES
"""Columns of a matrix that are turned in one go."""

BLOCK = 2048
"""Elements that are combined in float32; what is found of blocks is combined in float64."""
