"""erf by numpy, with a fast approximation in single precision."""

import math

import numpy as np

from lite.plugin.kernel import Array, kernel

# On [0, _LIMIT], P(x²) / Q(x²) approximates erf(x) / x within 2e-8 (a fit of equal relative errors in double
# precision).  Beyond _LIMIT, erf is 1 in single precision.
_LIMIT = 3.93
_P = (1.12837915, 0.190771293, 0.052788414, 0.00377901632, 0.000284786304, 2.04194886e-06)
_Q = (1.0, 0.502399379, 0.114252148, 0.0149962523, 0.00116505245, 3.80026823e-05)

_exact = np.frompyfunc(math.erf, 1, 1)


@kernel("erf")
def erf(X: Array, *, out: Array | None = None) -> Array:
    """Paddle erf: within 5e-7 in float32 and narrower types, exact (and slow) in float64."""
    out = np.empty(X.shape, X.dtype) if out is None else out
    if X.dtype == np.float64:
        out[...] = _exact(X)
        return out
    x = np.clip(X, -_LIMIT, _LIMIT, dtype=np.float32)
    squared = x * x
    x *= _polynomial(_P, squared)
    x /= _polynomial(_Q, squared)
    return np.clip(x, -1.0, 1.0, out=out, casting="same_kind")


def _polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    result = x * np.float32(coefficients[-1])
    for coefficient in coefficients[-2:0:-1]:
        result += np.float32(coefficient)
        result *= x
    result += np.float32(coefficients[0])
    return result
