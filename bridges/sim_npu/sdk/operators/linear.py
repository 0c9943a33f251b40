"""FULLY_CONNECTED and MATMUL.

FULLY_CONNECTED multiplies the last axis of its input by a constant matrix float32[K, M], adds an optional
constant bias float32[M], and applies ``activation`` (NONE, RELU, RELU6).

MATMUL multiplies two tensors of equal rank, at least 2, over their last two axes; other axes of size 1 are
broadcast.  ``transpose_a`` and ``transpose_b`` transpose the last two axes first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.bridges.sim_npu.sdk.attributes import Attributes, choice, flag
from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.operator import operator, require_float
from lite.bridges.sim_npu.sdk.operators.convolution import activated
from lite.bridges.sim_npu.sdk.tensor import Array, TensorType


def _fully_connected_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    require_float(inputs)
    choice(attributes, "activation", "NONE", "RELU", "RELU6")
    x, weights = inputs[:2]
    if len(weights.shape) != 2 or weights.shape[0] != x.shape[-1]:
        raise NpuError(Status.INVALID_SHAPE, f"weights {weights} do not fit {x}")
    if len(inputs) == 3 and inputs[2].shape != weights.shape[1:]:
        raise NpuError(Status.INVALID_SHAPE, f"bias {inputs[2]} does not fit weights {weights}")
    return [TensorType("float32", (*x.shape[:-1], weights.shape[1]))]


def _fully_connected(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    x, weights = inputs[:2]
    result = (x.reshape(-1, x.shape[-1]) @ weights).reshape(*x.shape[:-1], weights.shape[1])
    if len(inputs) == 3:
        result += inputs[2]
    return [activated(result, str(attributes["activation"]))]


def _matmul_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    require_float(inputs)
    a, b = (_transposed(x.shape, attributes, name) for x, name in zip(inputs, "ab", strict=True))
    if len(a) != len(b) or len(a) < 2 or a[-1] != b[-2]:
        raise NpuError(Status.INVALID_SHAPE, f"{inputs[0]} cannot be multiplied by {inputs[1]}")
    outer = [second if first == 1 else first for first, second in zip(a[:-2], b[:-2], strict=True)]
    if any(size not in (1, joint) for size, joint in zip(b[:-2], outer, strict=True)):
        raise NpuError(Status.INVALID_SHAPE, f"{inputs[0]} and {inputs[1]} cannot be broadcast")
    return [TensorType("float32", (*outer, a[-2], b[-1]))]


def _transposed(shape: tuple[int, ...], attributes: Attributes, name: str) -> tuple[int, ...]:
    if flag(attributes, f"transpose_{name}") and len(shape) >= 2:
        return (*shape[:-2], shape[-1], shape[-2])
    return shape


def _matmul(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    a, b = inputs
    if flag(attributes, "transpose_a"):
        a = a.swapaxes(-1, -2)
    if flag(attributes, "transpose_b"):
        b = b.swapaxes(-1, -2)
    return [np.matmul(a, b)]


operator(
    "FULLY_CONNECTED", (2, 3), _fully_connected_type, _fully_connected, constants=(1, 2), activation="NONE"
)
operator("MATMUL", 2, _matmul_type, _matmul, transpose_a=False, transpose_b=False)
