"""sum and axpy on the host: additions of whole tensors."""

from collections.abc import Sequence

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("sum")
def sum_of_tensors(X: Sequence[Array], *, out: Array | None = None) -> Array:
    """The sum of tensors of one shape."""
    if len(X) == 1:
        return np.positive(X[0], out=np.empty(X[0].shape, X[0].dtype) if out is None else out)
    result = np.asarray(np.add(X[0], X[1], out=out))
    for term in X[2:]:
        result += term
    return result


@kernel("axpy")
def axpy(Scale: Array, X: Array, Bias: Array, *, out: Array | None = None) -> Array:
    """Scale · X + Bias, with the axes of Scale counted from the front."""
    factors = Scale.reshape(Scale.shape + (1,) * (X.ndim - Scale.ndim))
    result = np.asarray(np.multiply(X, factors, out=out))
    result += Bias
    return result
