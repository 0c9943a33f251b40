"""assign_value on the host."""

from lite.ir.types import DType
from lite.ops.value_attrs import value_array
from lite.plugin.kernel import Array, kernel


@kernel("assign_value")
def assign_value(
    *,
    shape: list[int],
    dtype: int,
    bool_values: list[int],
    fp32_values: list[float],
    fp64_values: list[float],
    int32_values: list[int],
    int64_values: list[int],
    values: list[float],
) -> Array:
    """A constant tensor from the list of its element type."""
    return value_array(
        "assign_value",
        DType.from_code(dtype),
        bool_values=bool_values,
        fp32_values=fp32_values,
        fp64_values=fp64_values,
        int32_values=int32_values,
        int64_values=int64_values,
        values=values,
    ).reshape(shape)
