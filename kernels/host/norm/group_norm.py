"""group_norm and instance_norm by numpy."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.kernels.host.activation.activation import activate
from lite.kernels.host.norm.standardize import scale_and_shift, standardize
from lite.ops.window import is_channel_last
from lite.plugin.kernel import Array, kernel, write_all


@kernel("group_norm")
def group_norm(
    X: Array,
    Scale: Array | None,
    Bias: Array | None,
    *,
    epsilon: float,
    groups: int,
    data_layout: str,
    out: tuple[Array | None, ...] | None = None,
) -> tuple[Array, ...]:
    """Paddle group_norm: mean 0 and variance 1 in each group of channels, then · Scale + Bias.

    X is ``float[N, C, …]`` (or channels last), Scale and Bias ``[C]``, Mean and Variance ``[N, groups]``.
    Y. Wu and K. He, "Group Normalization", 2018.
    """
    channel_last = is_channel_last(data_layout)
    x = np.moveaxis(X, -1, 1) if channel_last else X
    result, mean, variance = _by_groups(x, groups, epsilon, Scale, Bias)
    result = (np.moveaxis(result, 1, -1) if channel_last else result).astype(X.dtype, copy=False)
    return write_all(out, result, mean.reshape(-1, groups), variance.reshape(-1, groups))


@kernel("instance_norm")
def instance_norm(
    X: Array,
    Scale: Array | None,
    Bias: Array | None,
    *,
    epsilon: float,
    activation: str,
    activation_params: Sequence[float],
    out: tuple[Array | None, ...] | None = None,
) -> tuple[Array, ...]:
    """Paddle instance_norm: mean 0 and variance 1 in each channel, then · Scale + Bias, then an activation.

    X is ``float[N, C, …]``.  SavedVariance ``[N·C]`` is ``1 / sqrt(variance + epsilon)``.  D. Ulyanov et al.,
    "Instance Normalization", 2016.
    """
    result, mean, variance = _by_groups(X, X.shape[1], epsilon, Scale, Bias)
    activate(activation, result, activation_params, out=result)
    inverse = 1 / np.sqrt(variance + variance.dtype.type(epsilon))
    return write_all(out, result.astype(X.dtype, copy=False), mean, inverse)


def _by_groups(
    x: Array, groups: int, epsilon: float, scale: Array | None, bias: Array | None
) -> tuple[Array, Array, Array]:
    batch, channels = x.shape[:2]
    # Without channels, there may be no group.
    size = math.prod(x.shape[2:]) * (channels // groups if groups else 1)
    rows, mean, variance = standardize(x.reshape(batch * groups, size), epsilon)
    result = rows.reshape(x.shape)
    scale_and_shift(result, scale, bias, (channels, *[1] * (x.ndim - 2)))
    return result, mean, variance
