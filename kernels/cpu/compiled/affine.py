"""Grids of positions, transformed by matrices."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit.entry import entry


@entry("r", "w", "r", "r", "r", "i", "i", "i", "i")
def affine_grid(
    theta: Any, out: Any, depths: Any, heights: Any, widths: Any, depth: int, height: int, width: int,
    rank: int, begin: int, end: int,
) -> None:  # fmt: skip
    """``out[n, z, y, x, :] = theta[n] · (widths[x], heights[y], depths[z], 1)`` for rows (n, z, y).

    `theta` is ``[…, rank, rank + 1]``; with rank 2, positions have no depth.
    """
    for row in range(begin, end):
        y, z, n = row % height, row // height % depth, row // height // depth
        for axis in range(rank):
            first = (n * rank + axis) * (rank + 1)
            offset = theta[first + rank] + theta[first + 1] * heights[y]
            if rank == 3:
                offset += theta[first + 2] * depths[z]
            factor, dest = theta[first], row * width * rank + axis
            for x in range(width):
                out[dest + x * rank] = factor * widths[x] + offset
