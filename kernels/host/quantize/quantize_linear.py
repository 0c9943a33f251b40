"""Paddle's quantize_linear, dequantize_linear and older ops that dequantise, by numpy.

`n` is the greatest integer, ``2 ** (bit_length - 1) - 1``; the scale is the real number that `n` represents.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.kernels.host.quantize.affine_quantize import spread
from lite.plugin.kernel import Array, kernel, write

_LEAST = 1e-30
"""The greatest scale that Paddle treats as 0: it divides by 1e-6 instead."""


@kernel("quantize_linear", slots=("X", "Scale"))
def quantize_linear(
    X: Array,
    Scale: Array,
    *,
    bit_length: int,
    quant_axis: int,
    round_type: int,
    out: Array | None = None,
) -> Array:
    """Paddle quantize_linear: X · n / Scale, rounded to integers that are stored in the dtype of X.

    `round_type` 0 rounds halves to even and clips to ``[-n - 1, n]``; 1 clips to ``[-n, n]`` and rounds
    halves away from zero.
    """
    most, scale = np.float32(2 ** (bit_length - 1) - 1), spread(Scale, X, quant_axis)
    factor = most / np.where(scale <= _LEAST, scale + np.float32(1e-6), scale)
    if round_type == 0:
        return write(out, np.clip(np.rint(X * factor), -most - 1, most).astype(X.dtype))
    scaled = np.clip(X, -scale, scale) * factor
    return write(out, np.copysign(np.floor(np.abs(scaled) + np.float32(0.5)), scaled).astype(X.dtype))


@kernel("dequantize_linear", slots=("X", "Scale"))
def dequantize_linear(
    X: Array,
    Scale: Array,
    *,
    bit_length: int,
    quant_axis: int,
    out: Array | None = None,
) -> Array:
    """Paddle dequantize_linear: X · Scale / n, with one scale, or one scale per index of `quant_axis`."""
    dtype = X.dtype if X.dtype.kind == "f" else Scale.dtype
    product = X.astype(dtype, copy=False) * spread(Scale, X, quant_axis)
    return write(out, (product / dtype.type(2 ** (bit_length - 1) - 1)).astype(dtype, copy=False))


@kernel("fake_dequantize_max_abs")
def fake_dequantize_max_abs(X: Array, Scale: Array, *, max_range: float, out: Array | None = None) -> Array:
    """Paddle fake_dequantize_max_abs: X · Scale / max_range, with one scale."""
    scale = Scale.reshape((1,) * X.ndim)
    return write(out, X * scale / scale.dtype.type(max_range))


@kernel("fake_channel_wise_dequantize_max_abs")
def fake_channel_wise_dequantize_max_abs(
    X: Array,
    Scales: list[Array],
    *,
    quant_bits: Sequence[int],
    quant_axis: int,
    x_num_col_dims: int,
    out: Array | None = None,
) -> Array:
    """Paddle's op: X · Scales[0] / n, or X · Scales[0] · Scales[1] / (n₀ · n₁).

    With one tensor of scales, its elements are for the indices of `quant_axis`.  With two, those of a weight
    and of an activation, the elements of the first are for the indices of axis ``max(x_num_col_dims, 1)``,
    the second has one element, and `quant_axis` is ignored, as in Paddle.
    """
    product, most = X, 1
    axes = (quant_axis,) if len(Scales) == 1 else (max(x_num_col_dims, 1), 0)
    for scale, axis, bits in zip(Scales, axes, quant_bits, strict=False):
        product = product * spread(scale, X, axis)
        most *= 2 ** (bits - 1) - 1
    return write(out, product / product.dtype.type(most))
