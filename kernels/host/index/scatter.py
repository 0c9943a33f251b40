"""scatter and scatter_nd_add on the host."""

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("scatter")
def scatter(X: Array, Ids: Array, Updates: Array, *, overwrite: bool, out: Array | None = None) -> Array:
    """X with the rows that Ids name replaced by those of Updates.

    A row named twice becomes the last of its updates, or the sum of all of them without `overwrite`.
    """
    result = _copy(X, out)
    rows = Ids.reshape(-1)
    updates = Updates.reshape(len(rows), *X.shape[1:])
    if overwrite:
        result[rows] = updates
    else:
        result[rows] = 0
        np.add.at(result, rows, updates)
    return result


@kernel("scatter_nd_add")
def scatter_nd_add(X: Array, Index: Array, Updates: Array, *, out: Array | None = None) -> Array:
    """X with each of Updates added where the vector on the last axis of Index points."""
    result = _copy(X, out)
    if Index.shape[-1]:
        np.add.at(result, tuple(np.moveaxis(Index, -1, 0)), Updates)
    else:
        result += Updates.reshape(-1, *X.shape).sum(axis=0, dtype=X.dtype)
    return result


def _copy(x: Array, out: Array | None) -> Array:
    if out is None:
        return np.array(x, order="C")
    if out is not x:
        out[...] = x
    return out
