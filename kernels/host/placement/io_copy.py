"""io_copy on the host: between targets that all read the host's memory."""

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("io_copy")
@kernel("io_copy_once")
def io_copy(X: Array | None, *, out: Array | None = None) -> Array | None:
    """A copy; targets with memory of their own bring the kernels that cross into it."""
    if X is None or out is None:
        return None if X is None else X.copy()
    np.copyto(out, X)
    return out
