"""Element types of `compiled.elements`, which reads numbers of any of them."""

from __future__ import annotations

from collections.abc import Mapping

from lite.ir.types import DType

BYTE, INT8, INT16, INT32, INT64, FLOAT32, FLOAT64 = range(7)
"""Integers by which compiled functions know the types; `BYTE` is uint8, also that of bool."""

BYTES = (1, 1, 2, 4, 8, 4, 8)
"""The bytes of an element."""

ELEMENT_TYPES: Mapping[DType, int] = {
    DType.BOOL: BYTE,
    DType.UINT8: BYTE,
    DType.INT8: INT8,
    DType.INT16: INT16,
    DType.INT32: INT32,
    DType.INT64: INT64,
    DType.FLOAT32: FLOAT32,
    DType.FLOAT64: FLOAT64,
}

(
    ADD, SUBTRACT, MULTIPLY, LOWER, HIGHER,
    EQUAL, UNEQUAL, LESS, AT_MOST, GREATER, AT_LEAST, AND, OR, XOR,
) = range(14)  # fmt: skip
"""Operations on two numbers; from `EQUAL` on the result is 0 or 1."""

_PLAIN = frozenset(
    {
        *ELEMENT_TYPES,
        DType.FLOAT16,
        DType.UINT16,
        DType.UINT32,
        DType.UINT64,
        DType.COMPLEX64,
        DType.COMPLEX128,
    }
)


def is_plain(dtype: DType) -> bool:
    """Whether numpy itself has the type: other ones, such as int4, give no addresses of their arrays."""
    return dtype in _PLAIN
