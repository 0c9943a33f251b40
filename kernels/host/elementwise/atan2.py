"""atan2 on the host."""

import numpy as np

from lite.plugin.kernel import Array, kernel, write


@kernel("atan2")
def atan2(X1: Array, X2: Array, *, out: Array | None = None) -> Array:
    """The angle of the point (X2, X1), in radians from -π to π; in float64 for integers."""
    dtype = np.float64 if X1.dtype.kind in "iu" else X1.dtype
    return write(out, np.asarray(np.arctan2(X1, X2)).astype(dtype, copy=False))
