"""REDUCE_MEAN: means over ``axes``, which become axes of size 1."""

from __future__ import annotations

from collections.abc import Sequence

from lite.bridges.sim_npu.sdk.attributes import Attributes, integers
from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.operator import operator, require_axis, require_float
from lite.bridges.sim_npu.sdk.tensor import Array, TensorType


def _axes(attributes: Attributes) -> tuple[int, ...]:
    value = attributes["axes"]
    return tuple(integers(attributes, "axes", len(value) if isinstance(value, list) else 1))


def _mean_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    require_float(inputs)
    (x,), axes = inputs, _axes(attributes)
    for axis in axes:
        require_axis(x, axis)
    if len(set(axes)) != len(axes) or not axes:
        raise NpuError(
            Status.INVALID_ATTRIBUTE, f"axes are {list(axes)}, expected at least one, and none twice"
        )
    shape = tuple(1 if axis in axes else size for axis, size in enumerate(x.shape))
    return [TensorType("float32", shape)]


def _mean(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    return [inputs[0].mean(_axes(attributes), keepdims=True)]


operator("REDUCE_MEAN", 1, _mean_type, _mean, axes=None)
