"""concat on the host."""

import numpy as np

from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel


@kernel("concat")
def concat(X: list[Array], AxisTensor: Array | None, *, axis: int, out: Array | None = None) -> Array:
    """The tensors of X one after another along an axis."""
    return np.concatenate(X, axis=integer(axis, AxisTensor), out=out)
