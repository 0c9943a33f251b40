"""pow and increment on the host: one number as the second operand."""

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("pow")
def pow_by_factor(
    X: Array, FactorTensor: Array | None = None, *, factor: float = 1.0, out: Array | None = None
) -> Array:
    """X to the power of factor; integers go by way of float64 and lose the fraction of the factor."""
    out = np.empty(X.shape, X.dtype) if out is None else out
    exponent = factor if FactorTensor is None else FactorTensor.reshape(-1)[0].item()
    with np.errstate(all="ignore"):
        if X.dtype.kind in "iu":
            np.copyto(out, np.rint(np.power(X, int(exponent), dtype=np.float64)), casting="unsafe")
            return out
        if exponent == 2.0:
            return np.square(X, out=out)
        return np.power(X, exponent, out=out)


@kernel("increment")
def increment(X: Array, *, step: float = 1.0, out: Array | None = None) -> Array:
    """X + step; integers take the whole part of the step."""
    amount = int(step) if X.dtype.kind in "iu" else step
    return np.add(X, amount, out=np.empty(X.shape, X.dtype) if out is None else out)
