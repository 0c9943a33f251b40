"""flip on the host."""

import numpy as np

from lite.plugin.kernel import Array, kernel, write


@kernel("flip")
def flip(X: Array | list[Array], *, axis: list[int], out: Array | None = None) -> Array | list[Array]:
    """X with the order along each of `axis` reversed; a tensor array with its elements in reverse order."""
    if isinstance(X, list):
        return X[::-1]
    flipped = np.flip(X, tuple(axis))
    return flipped.copy() if out is None else write(out, flipped)
