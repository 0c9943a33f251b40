"""tril_triu on the host."""

import numpy as np

from lite.plugin.kernel import Array, kernel, write


@kernel("tril_triu")
def tril_triu(X: Array, *, diagonal: int, lower: bool, out: Array | None = None) -> Array:
    """The matrices of the last two axes with zeros above (or, not `lower`, below) a diagonal."""
    return write(out, np.tril(X, diagonal) if lower else np.triu(X, diagonal))
