"""Decoding of the elements in a TensorProto (onnx.proto), which are bytes or lists of numbers."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import Array, DType
from lite.model_parser.onnx.messages import TensorProto

_BITS = {DType.INT4: 4, DType.UINT4: 4, DType.FLOAT4_E2M1FN: 4, DType.INT2: 2, DType.UINT2: 2}
"""Bits per element of packed types; the first element is in the lowest bits of a byte."""

_LISTS = {
    DType.FLOAT32: "float_data",
    DType.COMPLEX64: "float_data",
    DType.FLOAT64: "double_data",
    DType.COMPLEX128: "double_data",
    DType.INT64: "int64_data",
    DType.UINT32: "uint64_data",
    DType.UINT64: "uint64_data",
    DType.STRING: "string_data",
}
"""The list that holds the elements of each type; all other types use ``int32_data``."""


def is_packed(dtype: DType) -> bool:
    """Whether a byte holds several elements."""
    return dtype in _BITS


def packed_size(count: int, dtype: DType) -> int:
    """The size of `count` elements in bytes."""
    return -(-count * _BITS.get(dtype, 8 * dtype.itemsize) // 8)


def from_bytes(data: bytes | Array, dtype: DType, count: int) -> Array:
    """A one-dimensional array of the first `count` elements."""
    if dtype not in _BITS:
        return np.frombuffer(data, dtype.numpy, count)
    bits = _BITS[dtype]
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    codes: Array = (np.frombuffer(data, np.uint8)[:, None] >> shifts & (2**bits - 1)).reshape(-1)[:count]
    if dtype is DType.FLOAT4_E2M1FN:
        return codes.view(dtype.numpy)
    sign = 2 ** (bits - 1) if dtype in (DType.INT4, DType.INT2) else 0
    array: Array = ((codes ^ sign).astype(np.int8) - sign).astype(dtype.numpy)
    return array


def from_lists(tensor: TensorProto, dtype: DType) -> Array:
    """A one-dimensional array of the elements in the tensor's list.

    Raises `ValueError` for numbers that are not elements of the type.
    """
    items = getattr(tensor, _LISTS.get(dtype, "int32_data"))
    if dtype is DType.STRING:
        strings = np.empty(len(items), object)
        strings[:] = [item.decode("utf-8") for item in items]
        return strings
    if dtype in (DType.COMPLEX64, DType.COMPLEX128):
        part = np.float32 if dtype is DType.COMPLEX64 else np.float64
        return np.array(items, part)[: len(items) // 2 * 2].view(dtype.numpy)
    if dtype in _LISTS:
        return np.array(items, dtype.numpy)
    numbers = np.array(items, np.int64)
    if dtype in (DType.INT32, DType.BOOL):
        return numbers.astype(dtype.numpy)
    # Each number holds the bits of one element, or of several packed ones.
    if dtype in _BITS:
        data = numbers.astype(np.uint8).tobytes()
        return from_bytes(data, dtype, min(math.prod(tensor.dims), len(data) * 8 // _BITS[dtype]))
    return numbers.astype(f"u{dtype.itemsize}").view(dtype.numpy)
