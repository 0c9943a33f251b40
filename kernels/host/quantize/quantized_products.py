"""quantized_conv2d and quantized_fc by numpy, with exact sums: the reference of all integer kernels.

Sums of products of integers are computed in float64, which represents them exactly, and rounded once to
float32.  All later steps, from the multiplication by Scale on, are computed in float32.
"""

from __future__ import annotations

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.host.activation.activation import activate
from lite.kernels.host.convolution.conv3d import correlate
from lite.kernels.host.quantize.affine_quantize import as_bytes
from lite.ops.image_attributes import ConvAttributes
from lite.plugin.kernel import Array, kernel, write


@dataclass(frozen=True)
class _Quantization:
    zero_point: int
    out_scale: float
    out_zero_point: int


@dataclass(frozen=True)
class _Convolution(_Quantization, ConvAttributes):
    pass


@dataclass(frozen=True)
class _Product(_Quantization):
    in_num_col_dims: int
    activation: str
    activation_params: tuple[float, ...]


@kernel("quantized_conv2d", attrs=_Convolution)
def quantized_conv2d(
    Input: Array,
    Filter: Array,
    Scale: Array,
    Bias: Array | None,
    ResidualData: Array | None,
    PostScale: Array | None,
    PostShift: Array | None,
    Table: Array | None,
    *,
    attrs: _Convolution,
    out: Array | None = None,
) -> Array:
    """Cross-correlation of ``uint8[N, C, H, W]`` (or NHWC) with ``int8[O, C/groups, kh, kw]``.

    ``y = activation(sums · Scale + Bias + ResidualData) · PostScale + PostShift`` is float32, or with an
    out_scale uint8.  Scale, Bias, PostScale and PostShift have one number for each of O channels, or one.
    """
    image = Input.transpose(0, 3, 1, 2) if attrs.is_channel_last else Input
    windows = attrs.windows(image.shape[2:], Filter.shape[2:])
    centred = image.astype(np.float64) - attrs.zero_point
    y = correlate(centred, Filter.astype(np.float64), windows, attrs.groups).astype(np.float32)
    y *= _channels(Scale)
    if Bias is not None:
        y += _channels(Bias)
    if attrs.is_channel_last:
        y = y.transpose(0, 2, 3, 1)
    if ResidualData is not None:
        y = y + ResidualData
    y = activate(attrs.activation, y, attrs.activation_params)
    for vector, apply in ((PostScale, np.multiply), (PostShift, np.add)):
        if vector is not None:
            y = apply(y, vector.reshape(-1) if attrs.is_channel_last else _channels(vector))
    return write(out, _result(y, attrs, Table))


@kernel("quantized_fc", attrs=_Product)
def quantized_fc(
    Input: Array,
    W: Array,
    Scale: Array,
    Bias: Array | None,
    Table: Array | None,
    *,
    attrs: _Product,
    out: Array | None = None,
) -> Array:
    """``y = activation((Input - zero_point) · W · Scale + Bias)``.

    Input is uint8 with rows of K elements, W ``int8[K, N]``; y is float32 with rows of N elements, or with an
    out_scale uint8.
    """
    leading = Input.shape[: attrs.in_num_col_dims]
    rows = Input.reshape(-1, W.shape[0]).astype(np.float64) - attrs.zero_point
    y = (rows @ W.astype(np.float64)).astype(np.float32) * Scale.reshape(-1)
    if Bias is not None:
        y += Bias.reshape(-1)
    y = activate(attrs.activation, y, attrs.activation_params)
    return write(out, _result(y, attrs, Table).reshape(*leading, W.shape[1]))


def _channels(vector: Array) -> Array:
    """A vector ``[C]``, or one number for all channels, in a shape that broadcasts to ``[N, C, H, W]``."""
    return vector.reshape(-1, 1, 1)


def _result(y: Array, attrs: _Quantization, table: Array | None) -> Array:
    """`y` in float32, or with an out_scale quantised to uint8; a table then replaces each byte by another."""
    if attrs.out_scale:
        codes = as_bytes(y, attrs.out_scale, attrs.out_zero_point)
        return codes if table is None else table[codes]
    return y.astype(np.float32, copy=False)
