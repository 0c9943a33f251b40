"""The least and greatest numbers of the element types of quantised values."""

from __future__ import annotations

from lite.ir.types import DType

GREATEST = {
    DType.FLOAT8_E4M3FN: 448.0,
    DType.FLOAT8_E5M2: 57344.0,
    DType.FLOAT8_E4M3FNUZ: 240.0,
    DType.FLOAT8_E5M2FNUZ: 57344.0,
    DType.FLOAT4_E2M1FN: 6.0,
}
"""The greatest number of each floating point type of 8 bits or fewer."""


def number_range(dtype: DType) -> tuple[float, float]:
    """The least and the greatest number of an integer type, or of a type in `GREATEST`."""
    if dtype in GREATEST:
        return -GREATEST[dtype], GREATEST[dtype]
    bits = int(dtype.label.lstrip("uint"))
    return (0, 2**bits - 1) if dtype.label.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
