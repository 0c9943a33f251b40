"""fill_constant on the host."""

import numpy as np

from lite.ir.types import DType
from lite.ops.shape_input import integers
from lite.ops.value_attrs import constant_value
from lite.plugin.kernel import Array, kernel


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
    """A tensor of one value, which is ValueTensor's, else `str_value`'s, else `value`."""
    element = DType.from_code(dtype)
    filling = constant_value(value, str_value, element) if ValueTensor is None else ValueTensor.reshape(-1)[0]
    if out is None:
        return np.full(integers(shape, ShapeTensor, ShapeTensorList), filling, element.numpy)
    out.fill(filling)
    return out
