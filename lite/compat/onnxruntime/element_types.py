"""Element types as ONNX Runtime names and numbers them."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.compat.onnxruntime.errors import InvalidArgument
from lite.errors import GraphError
from lite.ir.types import DType

_NUMBERS = {
    DType.FLOAT32: 1,
    DType.UINT8: 2,
    DType.INT8: 3,
    DType.UINT16: 4,
    DType.INT16: 5,
    DType.INT32: 6,
    DType.INT64: 7,
    DType.STRING: 8,
    DType.BOOL: 9,
    DType.FLOAT16: 10,
    DType.FLOAT64: 11,
    DType.UINT32: 12,
    DType.UINT64: 13,
    DType.COMPLEX64: 14,
    DType.COMPLEX128: 15,
    DType.BFLOAT16: 16,
    DType.FLOAT8_E4M3FN: 17,
    DType.FLOAT8_E4M3FNUZ: 18,
    DType.FLOAT8_E5M2: 19,
    DType.FLOAT8_E5M2FNUZ: 20,
    DType.UINT4: 21,
    DType.INT4: 22,
    DType.FLOAT4_E2M1FN: 23,
    DType.FLOAT8_E8M0FNU: 24,
    DType.UINT2: 25,
    DType.INT2: 26,
}
"""Element types → their numbers in ``TensorProto.DataType``."""

_OF_NUMBER = {number: dtype for dtype, number in _NUMBERS.items()}

_NAMES = {DType.FLOAT32: "float", DType.FLOAT64: "double"}
"""Element types whose names differ from ours."""


def tensor_type(dtype: np.dtype[Any]) -> str:
    """The type of a tensor, such as ``tensor(float)``."""
    return f"tensor({element_name(element_number(dtype))})"


def element_name(number: int) -> str:
    """The name of an element type, such as ``float``."""
    dtype = _OF_NUMBER.get(number)
    return "undefined" if dtype is None else _NAMES.get(dtype, dtype.label)


def element_number(dtype: np.dtype[Any]) -> int:
    """The number of a numpy dtype; raises `InvalidArgument` for one that ONNX does not have."""
    try:
        return _NUMBERS[DType.from_numpy(dtype)]
    except (GraphError, KeyError) as error:
        raise InvalidArgument(f"{dtype} is not an element type of ONNX") from error


def numpy_type(element_type: Any) -> np.dtype[Any]:
    """The dtype of a number of ``TensorProto.DataType``, or of anything that numpy takes as a dtype."""
    if isinstance(element_type, int):
        dtype = _OF_NUMBER.get(element_type)
        if dtype is None:
            raise InvalidArgument(f"{element_type} is not the number of an element type of ONNX")
        return dtype.numpy
    named: np.dtype[Any] = np.dtype(element_type)
    return named
