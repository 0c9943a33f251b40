"""lrn by numpy."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array, kernel, write_all


@kernel("lrn")
def lrn(
    X: Array,
    *,
    n: int,
    k: float,
    alpha: float,
    beta: float,
    data_format: str,
    out: tuple[Array | None, ...] | None = None,
) -> tuple[Array, ...]:
    """Paddle lrn: ``X · MidOut^-beta``, where ``MidOut = k + alpha · Σ X²`` over n neighbouring channels.

    X is ``float[N, C, H, W]`` (or NHWC).  A. Krizhevsky et al., "ImageNet Classification with Deep
    Convolutional Neural Networks", 2012.
    """
    axis = 3 if data_format == "NHWC" else 1
    x = np.moveaxis(widened(X), axis, 1)
    squares = np.square(x)
    middle = np.full_like(x, k)
    before = (n - 1) // 2
    for shift in range(-before, n - before):
        low, high = max(-shift, 0), x.shape[1] - max(shift, 0)
        if low < high:
            middle[:, low:high] += squares[:, low + shift : high + shift] * x.dtype.type(alpha)
    result = x * np.power(middle, x.dtype.type(-beta))
    moved = (np.moveaxis(part, 1, axis).astype(X.dtype, copy=False) for part in (result, middle))
    return write_all(out, *moved)
