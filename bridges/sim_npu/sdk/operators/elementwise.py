"""ADD, SUB, MUL, DIV, MAX, MIN: arithmetic of two tensors.

Both have the same element type and the same rank; an axis of size 1 is broadcast.  DIV takes float32 only.
int32 wraps around.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.bridges.sim_npu.sdk.attributes import Attributes
from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.operator import operator, require_float
from lite.bridges.sim_npu.sdk.tensor import Array, TensorType


def _broadcast(inputs: Sequence[TensorType], _: Attributes) -> list[TensorType]:
    first, second = inputs
    if first.dtype != second.dtype:
        raise NpuError(Status.INVALID_DTYPE, f"{first} and {second} (supported: one element type)")
    if len(first.shape) != len(second.shape):
        raise NpuError(Status.INVALID_SHAPE, f"{first} and {second} have different ranks")
    shape = tuple(b if a == 1 else a for a, b in zip(first.shape, second.shape, strict=True))
    if any(size not in (1, joint) for size, joint in zip(second.shape, shape, strict=True)):
        raise NpuError(Status.INVALID_SHAPE, f"{first} and {second} cannot be broadcast")
    return [TensorType(first.dtype, shape)]


def _broadcast_float(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    require_float(inputs)
    return _broadcast(inputs, attributes)


def _add_operator(kind: str, function: np.ufunc) -> None:
    def execute(inputs: Sequence[Array], _: Attributes) -> list[Array]:
        return [function(inputs[0], inputs[1])]

    operator(kind, 2, _broadcast_float if kind == "DIV" else _broadcast, execute)


for _kind, _function in {
    "ADD": np.add,
    "SUB": np.subtract,
    "MUL": np.multiply,
    "DIV": np.divide,
    "MAX": np.maximum,
    "MIN": np.minimum,
}.items():
    _add_operator(_kind, _function)
