"""prelu by numpy."""

import math

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("prelu")
def prelu(
    X: Array, Alpha: Array, *, mode: str = "all", data_format: str = "NCHW", out: Array | None = None
) -> Array:
    """Paddle prelu: X where it is positive, Alpha · X elsewhere.

    Alpha has one element (mode "all"), one per channel ("channel"), or one per element of a sample
    ("element"; further elements are ignored, as in Paddle).
    """
    low = np.minimum(X, 0)
    low = low * _slopes(X, Alpha, mode, data_format)
    return np.add(np.maximum(X, 0), low, out=np.empty(X.shape, X.dtype) if out is None else out)


def _slopes(X: Array, Alpha: Array, mode: str, data_format: str) -> Array:
    if mode == "element" and X.ndim:
        sample = X.shape[1:]
        return Alpha.reshape(-1)[: math.prod(sample)].reshape(sample)
    if mode == "channel" and X.ndim > 1:
        return Alpha.reshape(-1) if data_format == "NHWC" else Alpha.reshape(-1, *(1,) * (X.ndim - 2))
    return Alpha.reshape(-1)[:1].reshape(())
