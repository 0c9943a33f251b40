"""stored_fc by numpy: weights become float32 a few columns at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.kernels.host.activation.activation import activate
from lite.plugin.kernel import Array, kernel, write

_COLUMNS = 256
"""Columns of weights that are float32 at a time."""


@kernel("stored_fc")
def stored_fc(
    Input: Array,
    W: Array,
    Scale: Array | None,
    ZeroPoint: Array | None,
    Bias: Array | None,
    *,
    in_num_col_dims: int,
    activation: str,
    activation_params: Sequence[float],
    out: Array | None = None,
) -> Array:
    """``activation(Input · ((W - ZeroPoint) · Scale) + Bias)`` in float32.

    Scale and ZeroPoint are ``[N]`` or ``[blocks of K, N]``; uint8 has two rows of numbers of 4 bits in each.
    """
    depth, channels = math.prod(Input.shape[in_num_col_dims:]), W.shape[1]
    rows = Input.reshape(-1, depth)
    y = np.empty((rows.shape[0], channels), np.float32)
    for first in range(0, channels, _COLUMNS):
        part = slice(first, first + _COLUMNS)
        weights = unpacked(W[:, part], depth).astype(np.float32)
        if ZeroPoint is not None:
            weights -= scales_of_rows(ZeroPoint, depth)[:, part]
        if Scale is not None:
            weights *= scales_of_rows(Scale, depth)[:, part]
        y[:, part] = rows @ weights
    if Bias is not None:
        y += Bias.reshape(-1)
    y = activate(activation, y, activation_params)
    return write(out, y.reshape(*Input.shape[:in_num_col_dims], channels))


def unpacked(weights: Array, depth: int) -> Array:
    """The `depth` rows of numbers; those of bytes that hold two rows each are taken apart."""
    if weights.dtype != np.uint8:
        return weights
    halves = np.stack([weights & 15, weights >> 4], axis=1)
    return halves.reshape(-1, weights.shape[1])[:depth]


def scales_of_rows(scale: Array, depth: int) -> Array:
    """The scales of each row of weights, or of all rows: ``[depth or 1, N]``."""
    blocks = scale.reshape(1, -1) if scale.ndim < 2 else scale
    if len(blocks) == 1:
        return blocks
    return blocks.repeat(-(-depth // len(blocks)), 0)[:depth]
