"""SCALE_SHIFT, LAYER_NORM, SOFTMAX.

SCALE_SHIFT: ``x · scale + shift``; scale and shift are constants float32[C], and channels are axis 1.

LAYER_NORM: normalises the axes from ``axis`` on to mean 0 and variance 1, then ``· gamma + beta``; gamma and
beta are float32[K], where K is the product of the sizes of these axes.

SOFTMAX: ``exp(x) / sum(exp(x))`` along ``axis``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.bridges.sim_npu.sdk import limits
from lite.bridges.sim_npu.sdk.attributes import Attributes, integer, real
from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.operator import operator, require_axis, require_float
from lite.bridges.sim_npu.sdk.tensor import Array, TensorType


def _scale_shift_type(inputs: Sequence[TensorType], _: Attributes) -> list[TensorType]:
    require_float(inputs)
    x, scale, shift = inputs
    require_axis(x, 1)
    if scale.shape != (x.shape[1],) or shift.shape != scale.shape:
        raise NpuError(Status.INVALID_SHAPE, f"scale {scale}, shift {shift}: {x} has {x.shape[1]} channels")
    return [x]


def _scale_shift(inputs: Sequence[Array], _: Attributes) -> list[Array]:
    x, scale, shift = inputs
    shape = (-1, *(1,) * (x.ndim - 2))
    return [x * scale.reshape(shape) + shift.reshape(shape)]


def _layer_norm_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    require_float(inputs)
    x, gamma, beta = inputs
    axis = integer(attributes, "axis", 0, limits.RANK - 1)
    require_axis(x, axis)
    real(attributes, "epsilon")
    count = math.prod(x.shape[axis:])
    if gamma.shape != (count,) or beta.shape != (count,):
        raise NpuError(
            Status.INVALID_SHAPE, f"gamma {gamma}, beta {beta}: {x} has {count} elements from {axis} on"
        )
    return [x]


def _layer_norm(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    x, gamma, beta = inputs
    rows = x.reshape(math.prod(x.shape[: integer(attributes, "axis", 0, limits.RANK)]), -1).astype(np.float64)
    centred = rows - rows.mean(1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(1, keepdims=True) + real(attributes, "epsilon"))
    return [(centred / spread * gamma + beta).astype(np.float32).reshape(x.shape)]


def _softmax_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    require_float(inputs)
    require_axis(inputs[0], integer(attributes, "axis", 0, limits.RANK - 1))
    return [inputs[0]]


def _softmax(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    (x,), axis = inputs, integer(attributes, "axis", 0, limits.RANK)
    powers = np.exp(x - x.max(axis, keepdims=True))
    return [powers / powers.sum(axis, keepdims=True)]


operator("SCALE_SHIFT", 3, _scale_shift_type, _scale_shift, constants=(1, 2))
operator("LAYER_NORM", 3, _layer_norm_type, _layer_norm, axis=None, epsilon=1e-5)
operator("SOFTMAX", 1, _softmax_type, _softmax, axis=None)
