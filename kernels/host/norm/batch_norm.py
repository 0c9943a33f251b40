"""batch_norm and affine_channel by numpy."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.ops.window import is_channel_last
from lite.plugin.kernel import Array, kernel, write_all


@kernel("batch_norm")
def batch_norm(
    X: Array,
    Scale: Array | None,
    Bias: Array | None,
    Mean: Array,
    Variance: Array,
    *,
    epsilon: float,
    data_layout: str,
    is_test: bool,
    use_global_stats: bool,
    trainable_statistics: bool,
    out: tuple[Array | None, ...] | None = None,
) -> tuple[Array, ...]:
    """Paddle batch_norm: ``(X − mean) / sqrt(variance + epsilon) · Scale + Bias`` for each channel.

    X is ``float[N, C, …]`` (or channels last), the others ``[C]``.  Mean and variance are the inputs, or the
    statistics of this batch in a program that was saved in training mode.  Further outputs are Mean,
    Variance, and the used mean and ``1 / sqrt(variance + epsilon)``.  S. Ioffe and C. Szegedy, "Batch
    Normalization", 2015.
    """
    axis = X.ndim - 1 if is_channel_last(data_layout) else 1
    x = widened(X)
    mean, variance = Mean, Variance
    if not use_global_stats and (not is_test or trainable_statistics):
        others = tuple(n for n in range(X.ndim) if n != axis)
        mean = x.mean(axis=others)
        variance = x.var(axis=others)
    inverse = 1 / np.sqrt(variance + variance.dtype.type(epsilon))
    factor = inverse if Scale is None else inverse * Scale
    shift = -mean * factor if Bias is None else Bias - mean * factor
    shape = tuple(-1 if n == axis else 1 for n in range(X.ndim))
    direct = out[0] if out and X.dtype == x.dtype else None
    result = np.multiply(x, factor.astype(x.dtype, copy=False).reshape(shape), out=direct)
    result += shift.astype(x.dtype, copy=False).reshape(shape)
    statistics = (np.array(Mean), np.array(Variance), np.array(mean), inverse)
    return write_all(out, result.astype(X.dtype, copy=False), *statistics)


@kernel("affine_channel")
def affine_channel(
    X: Array, Scale: Array, Bias: Array, *, data_layout: str, out: Array | None = None
) -> Array:
    """Paddle affine_channel: ``X · Scale + Bias`` for each channel."""
    channel_last = is_channel_last(data_layout) or X.ndim == 2
    shape = (-1,) if channel_last else (-1, *[1] * (X.ndim - 2))
    result = np.multiply(X, Scale.reshape(shape), out=out)
    result += Bias.reshape(shape)
    return result
