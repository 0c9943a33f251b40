"""where and where_index on the host."""

import numpy as np

from lite.plugin.kernel import Array, kernel, write


@kernel("where")
def where(Condition: Array, X: Array, Y: Array, *, out: Array | None = None) -> Array:
    """X where Condition holds, else Y."""
    return write(out, np.where(Condition, X, Y))


@kernel("where_index")
def where_index(Condition: Array) -> Array:
    """The indices of what is true or not 0: one row each, int64."""
    if not Condition.ndim:
        return np.zeros((int(bool(Condition)), 0), np.int64)
    return np.argwhere(Condition).astype(np.int64, copy=False)
