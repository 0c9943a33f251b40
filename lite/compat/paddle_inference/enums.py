"""The enumerations of ``paddle.inference``."""

from __future__ import annotations

import enum

from lite.errors import InputError
from lite.ir.types import DType


class DataType(enum.Enum):
    """Element types of handles."""

    FLOAT32 = 0
    INT64 = 1
    INT32 = 2
    UINT8 = 3
    INT8 = 4
    FLOAT16 = 5
    BOOL = 6
    FLOAT64 = 7
    BFLOAT16 = 8

    @classmethod
    def of(cls, dtype: DType) -> DataType:
        """The member for `dtype`; raises `InputError` if Paddle's handles have no such type."""
        data_type = _OF_DTYPE.get(dtype)
        if data_type is None:
            raise InputError(f"paddle.inference has no DataType for {dtype}; read it with lite.Predictor.get")
        return data_type


class PlaceType(enum.Enum):
    """Kinds of hardware."""

    UNK = -1
    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM = 4


class PrecisionType(enum.Enum):
    """Precisions in which an accelerator may compute."""

    Float32 = 0
    Int8 = 1
    Half = 2
    Bfloat16 = 3


_OF_DTYPE = {DType[data_type.name]: data_type for data_type in DataType}
_TO_DTYPE = {data_type: dtype for dtype, data_type in _OF_DTYPE.items()}


def get_num_bytes_of_data_type(dtype: DataType) -> int:
    """The number of bytes of one element."""
    return _TO_DTYPE[dtype].itemsize
