"""Rows with mean 0 and variance 1: what layer, group and instance normalisation share."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array


def standardize(rows: Array, epsilon: float) -> tuple[Array, Array, Array]:
    """``(x − mean) / sqrt(variance + epsilon)`` of each row of ``[n, m]``, a new array; means, variances."""
    x = widened(rows)
    mean = x.mean(axis=1)
    result = x - mean[:, None]
    variance = np.square(result).mean(axis=1)
    result *= (1 / np.sqrt(variance + x.dtype.type(epsilon)))[:, None]
    return result, mean, variance


def scale_and_shift(x: Array, scale: Array | None, bias: Array | None, shape: tuple[int, ...]) -> None:
    """``x · scale + bias`` in place; scale and bias, where given, take this shape first."""
    if scale is not None:
        x *= scale.reshape(shape)
    if bias is not None:
        x += bias.reshape(shape)
