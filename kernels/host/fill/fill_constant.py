"""Constant tensors: fill_constant, fill_any_like, fill_constant_batch_size_like, empty, assign_value."""

import numpy as np

from lite.ir.types import NO_LOD, DType
from lite.ops.new_shape import batch_shape
from lite.ops.shape_input import integers
from lite.ops.value_attrs import constant_value, value_array
from lite.plugin.kernel import Array, Attributes, kernel
from lite.plugin.kernel.lod import Lods


@kernel("fill_constant")
def fill_constant(
    ValueTensor: Array | None,
    ShapeTensor: Array | None,
    ShapeTensorList: list[Array] | None,
    *,
    shape: list[int],
    dtype: int,
    value: float,
    str_value: str,
    out: Array | None = None,
) -> Array:
    """Paddle fill_constant: a tensor of one value: ValueTensor, else `str_value`, else `value`."""
    element = DType.from_code(dtype)
    filling = constant_value(value, str_value, element) if ValueTensor is None else ValueTensor.reshape(-1)[0]
    if out is None:
        return np.full(integers(shape, ShapeTensor, ShapeTensorList), filling, element.numpy)
    out.fill(filling)
    return out


@kernel("fill_any_like")
def fill_any_like(X: Array, *, value: float, dtype: int, out: Array | None = None) -> Array:
    """Paddle fill_any_like: one value in the shape of X, in X's dtype where `dtype` is negative."""
    element = DType.from_numpy(X.dtype) if dtype < 0 else DType.from_code(dtype)
    filling = constant_value(value, "", element)
    if out is None:
        return np.full(X.shape, filling, element.numpy)
    out.fill(filling)
    return out


@kernel("fill_constant_batch_size_like")
def fill_constant_batch_size_like(
    Input: Array,
    *,
    lods: Lods,
    shape: list[int],
    dtype: int,
    value: float,
    str_value: str,
    input_dim_idx: int,
    output_dim_idx: int,
) -> tuple[Array, Lods]:
    """Paddle fill_constant_batch_size_like: one value in `shape`, with the size of one axis of Input."""
    element = DType.from_code(dtype)
    indices = (input_dim_idx, output_dim_idx)
    sizes = batch_shape("fill_constant_batch_size_like", shape, Input.shape, lods["Input"][0], indices)
    filled: Array = np.full(sizes, constant_value(value, str_value, element), element.numpy)
    return filled, {"Out": [NO_LOD]}


@kernel("empty")
def empty(
    ShapeTensor: Array | None, ShapeTensorList: list[Array] | None, *, shape: list[int], dtype: int
) -> Array:
    """Paddle empty: a tensor with unspecified elements; here zeros, so that results are reproducible."""
    return np.zeros(integers(shape, ShapeTensor, ShapeTensorList), DType.from_code(dtype).numpy)


@kernel("assign_value", attrs=Attributes)
def assign_value(*, attrs: Attributes) -> Array:
    """Paddle assign_value: a tensor from the attribute that lists values of its dtype."""
    return value_array("assign_value", attrs)
