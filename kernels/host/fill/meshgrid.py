"""meshgrid on the host."""

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("meshgrid")
def meshgrid(X: list[Array], *, out: list[Array] | None = None) -> list[Array]:
    """One grid per input: axis n of every grid runs along input n, and grid n holds its numbers."""
    grids = np.meshgrid(*X, indexing="ij", copy=False)
    if out is None:
        return [grid.copy() for grid in grids]
    for target, grid in zip(out, grids, strict=True):
        target[...] = grid
    return out
