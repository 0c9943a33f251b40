"""Activations and other functions of one float32 tensor.

============  ==========================================  ==========================
operator      result                                      attributes
============  ==========================================  ==========================
RELU          max(x, 0)
CLIP          min(max(x, low), high)                      low, high
LEAKY_RELU    x where positive, else alpha · x            alpha: at most 1
SIGMOID       1 / (1 + exp(-x))
TANH          the hyperbolic tangent
HARD_SIGMOID  min(max(slope · x + offset, 0), 1)          slope, offset
HARD_SWISH    x · min(max(x + 3, 0), 6) / 6
GELU          x · Φ(x), within 2e-7 · |x|                 tanh: its approximation by tanh
============  ==========================================  ==========================
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.bridges.sim_npu.sdk.attributes import Attributes, flag, real
from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.operator import operator, same_type
from lite.bridges.sim_npu.sdk.tensor import Array, TensorType

_ERF = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592, 0.0)
"""Coefficients of erf, highest power first (Abramowitz and Stegun 1964, formula 7.1.26)."""


def _clip_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    low, high = real(attributes, "low"), real(attributes, "high")
    if not low <= high:
        raise NpuError(Status.INVALID_ATTRIBUTE, f"low must not be above high, got {low} and {high}")
    return same_type(inputs, attributes)


def _leaky_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    if not real(attributes, "alpha") <= 1:
        raise NpuError(Status.INVALID_ATTRIBUTE, f"alpha {attributes['alpha']} (supported: at most 1)")
    return same_type(inputs, attributes)


def _hard_sigmoid_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    real(attributes, "slope"), real(attributes, "offset")
    return same_type(inputs, attributes)


def _gelu_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    flag(attributes, "tanh")
    return same_type(inputs, attributes)


def _relu(inputs: Sequence[Array], _: Attributes) -> list[Array]:
    return [np.maximum(inputs[0], np.float32(0))]


def _clip(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    return [np.clip(inputs[0], np.float32(real(attributes, "low")), np.float32(real(attributes, "high")))]


def _leaky_relu(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    return [np.maximum(inputs[0], inputs[0] * np.float32(real(attributes, "alpha")))]


def _sigmoid(inputs: Sequence[Array], _: Attributes) -> list[Array]:
    return [1 / (1 + np.exp(-inputs[0]))]


def _tanh(inputs: Sequence[Array], _: Attributes) -> list[Array]:
    return [np.tanh(inputs[0])]


def _hard_sigmoid(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    slope, offset = np.float32(real(attributes, "slope")), np.float32(real(attributes, "offset"))
    return [np.clip(inputs[0] * slope + offset, np.float32(0), np.float32(1))]


def _hard_swish(inputs: Sequence[Array], _: Attributes) -> list[Array]:
    (x,) = inputs
    return [x * np.clip(x + np.float32(3), np.float32(0), np.float32(6)) / np.float32(6)]


def _gelu(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    x = inputs[0].astype(np.float64)
    if flag(attributes, "tanh"):
        share = np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))
    else:
        share = _erf(x / np.sqrt(2))
    return [(0.5 * x * (1 + share)).astype(np.float32)]


def _erf(x: Array) -> Array:
    t = 1 / (1 + 0.3275911 * np.abs(x))
    tail: Array = np.polyval(_ERF, t) * np.exp(-x * x)
    signed: Array = np.sign(x) * (1 - tail)
    return signed


operator("RELU", 1, same_type, _relu)
operator("CLIP", 1, _clip_type, _clip, low=None, high=None)
operator("LEAKY_RELU", 1, _leaky_type, _leaky_relu, alpha=None)
operator("SIGMOID", 1, same_type, _sigmoid)
operator("TANH", 1, same_type, _tanh)
operator("HARD_SIGMOID", 1, _hard_sigmoid_type, _hard_sigmoid, slope=None, offset=None)
operator("HARD_SWISH", 1, same_type, _hard_swish)
operator("GELU", 1, _gelu_type, _gelu, tanh=False)
