"""tril_triu on the host."""

import numpy as np

from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel, write


@kernel("tril_triu")
def tril_triu(
    X: Array, DiagonalTensor: Array | None = None, *, diagonal: int, lower: bool, out: Array | None = None
) -> Array:
    """The matrices of the last two axes with zeros above (or, not `lower`, below) a diagonal."""
    place = integer(diagonal, DiagonalTensor)
    return write(out, np.tril(X, place) if lower else np.triu(X, place))
