"""fill_any_like and fill_constant_batch_size_like on the host."""

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.types import NO_LOD, DType, Lod
from lite.ops.new_shape import batch_shape
from lite.ops.value_attrs import constant_value
from lite.plugin.kernel import Array, kernel


@kernel("fill_any_like")
def fill_any_like(X: Array, *, value: float, dtype: int, out: Array | None = None) -> Array:
    """One value in the shape of X, of X's type where `dtype` is negative."""
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
    lods: Mapping[str, Sequence[Lod]],
    shape: list[int],
    dtype: int,
    value: float,
    str_value: str,
    input_dim_idx: int,
    output_dim_idx: int,
) -> tuple[Array, dict[str, list[Lod]]]:
    """One value in `shape`, with the size of one axis taken from Input."""
    element = DType.from_code(dtype)
    indices = (input_dim_idx, output_dim_idx)
    sizes = batch_shape("fill_constant_batch_size_like", shape, Input.shape, lods["Input"][0], indices)
    filled: Array = np.full(sizes, constant_value(value, str_value, element), element.numpy)
    return filled, {"Out": [NO_LOD]}
