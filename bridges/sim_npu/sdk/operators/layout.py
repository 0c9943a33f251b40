"""Operators that move elements: CONCAT, SPLIT, RESHAPE, TRANSPOSE, SLICE, PAD.

=========  ==================================================================================
CONCAT     joins up to 64 tensors along ``axis``
SPLIT      splits ``axis`` into parts of ``sizes``
RESHAPE    gives the elements another ``shape``
TRANSPOSE  permutes the axes by ``order``
SLICE      takes, along each axis, every ``steps``-th element from ``begin`` to before ``end``
PAD        adds ``before`` and ``after`` elements of ``value`` along each axis
=========  ==================================================================================

All take float32, int32 and int8.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.bridges.sim_npu.sdk import limits
from lite.bridges.sim_npu.sdk.attributes import Attributes, integer, integers, real
from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.operator import operator, require_axis
from lite.bridges.sim_npu.sdk.tensor import Array, TensorType


def _list(attributes: Attributes, name: str) -> list[int]:
    value = attributes[name]
    return integers(attributes, name, len(value) if isinstance(value, list) else 1)


def _axis(type_: TensorType, attributes: Attributes) -> int:
    axis = integer(attributes, "axis", 0, limits.RANK - 1)
    require_axis(type_, axis)
    return axis


def _concat_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    first, axis = inputs[0], _axis(inputs[0], attributes)
    for other in inputs[1:]:
        rest = (other.dtype, other.shape[:axis], other.shape[axis + 1 :])
        if rest != (first.dtype, first.shape[:axis], first.shape[axis + 1 :]):
            raise NpuError(Status.INVALID_SHAPE, f"{first} and {other} cannot be joined along axis {axis}")
    joined = sum(type_.shape[axis] for type_ in inputs)
    return [TensorType(first.dtype, (*first.shape[:axis], joined, *first.shape[axis + 1 :]))]


def _concat(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    return [np.concatenate(inputs, integer(attributes, "axis", 0, limits.RANK))]


def _split_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    (x,), axis, sizes = inputs, _axis(inputs[0], attributes), _list(attributes, "sizes")
    if len(sizes) > limits.JOINED:
        raise NpuError(Status.LIMIT_EXCEEDED, f"{len(sizes)} parts (supported: up to {limits.JOINED})")
    if sum(sizes) != x.shape[axis]:
        raise NpuError(Status.INVALID_SHAPE, f"parts of {sizes} do not add up to axis {axis} of {x}")
    return [TensorType(x.dtype, (*x.shape[:axis], size, *x.shape[axis + 1 :])) for size in sizes]


def _split(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    ends = np.cumsum(_list(attributes, "sizes"))
    return list(np.split(inputs[0], ends[:-1], integer(attributes, "axis", 0, limits.RANK)))


def _reshape_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    result = TensorType(inputs[0].dtype, tuple(_list(attributes, "shape")))
    if result.count != inputs[0].count:
        raise NpuError(
            Status.INVALID_SHAPE,
            f"{inputs[0]} has {inputs[0].count} elements, shape {list(result.shape)} has {result.count}",
        )
    return [result]


def _reshape(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    return [inputs[0].reshape(_list(attributes, "shape"))]


def _transpose_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    (x,), order = inputs, _list(attributes, "order")
    if sorted(order) != list(range(len(x.shape))):
        raise NpuError(Status.INVALID_ATTRIBUTE, f"order {order} is not a permutation of the axes of {x}")
    return [TensorType(x.dtype, tuple(x.shape[axis] for axis in order))]


def _transpose(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    return [np.transpose(inputs[0], _list(attributes, "order"))]


def _slice_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    (x,) = inputs
    begin, end, steps = (integers(attributes, name, len(x.shape)) for name in ("begin", "end", "steps"))
    for b, e, s, size in zip(begin, end, steps, x.shape, strict=True):
        if not (0 <= b < e <= size and s >= 1):
            raise NpuError(
                Status.INVALID_ATTRIBUTE, f"begin {begin}, end {end}, steps {steps} do not fit {x}"
            )
    counts = [-(-(e - b) // s) for b, e, s in zip(begin, end, steps, strict=True)]
    return [TensorType(x.dtype, tuple(counts))]


def _slice(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    ranges = zip(*(_list(attributes, name) for name in ("begin", "end", "steps")), strict=True)
    return [inputs[0][tuple(slice(*numbers) for numbers in ranges)]]


def _pad_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    (x,) = inputs
    real(attributes, "value")
    before, after = (integers(attributes, name, len(x.shape)) for name in ("before", "after"))
    if min(*before, *after) < 0:
        raise NpuError(Status.INVALID_ATTRIBUTE, f"before {before}, after {after} (supported: 0 and more)")
    sizes = [size + b + a for size, b, a in zip(x.shape, before, after, strict=True)]
    return [TensorType(x.dtype, tuple(sizes))]


def _pad(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    (x,) = inputs
    widths = list(zip(_list(attributes, "before"), _list(attributes, "after"), strict=True))
    return [np.pad(x, widths, constant_values=x.dtype.type(real(attributes, "value")))]


operator("CONCAT", (1, limits.JOINED), _concat_type, _concat, axis=None)
operator("SPLIT", 1, _split_type, _split, axis=None, sizes=None)
operator("RESHAPE", 1, _reshape_type, _reshape, shape=None)
operator("TRANSPOSE", 1, _transpose_type, _transpose, order=None)
operator("SLICE", 1, _slice_type, _slice, begin=None, end=None, steps=None)
operator("PAD", 1, _pad_type, _pad, before=None, after=None, value=0.0)
