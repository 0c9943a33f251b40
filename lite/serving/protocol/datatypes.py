"""The datatypes of the Open Inference Protocol, and tensors in its binary form.

Elements are in row-major order and little-endian.  A BOOL is one byte, 0 or 1.  The bytes of each string of
BYTES follow its length, a uint32.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Sequence

import numpy as np

from lite.ir.types import Array, DType
from lite.serving.protocol.status import bad_request

DATATYPES = {
    "BOOL": DType.BOOL,
    "UINT8": DType.UINT8,
    "UINT16": DType.UINT16,
    "UINT32": DType.UINT32,
    "UINT64": DType.UINT64,
    "INT8": DType.INT8,
    "INT16": DType.INT16,
    "INT32": DType.INT32,
    "INT64": DType.INT64,
    "FP16": DType.FLOAT16,
    "FP32": DType.FLOAT32,
    "FP64": DType.FLOAT64,
    "BF16": DType.BFLOAT16,
    "BYTES": DType.STRING,
}
"""The engine's element type of each datatype."""

BINARY_ONLY = ("FP16", "BF16")
"""Datatypes that JSON and the typed fields of protobuf cannot hold."""

_NAMES = {dtype: name for name, dtype in DATATYPES.items()}
_LENGTH = struct.Struct("<I")


def datatype_of(dtype: DType) -> str | None:
    """The protocol's name of an element type, or None if it has none."""
    return _NAMES.get(dtype)


@functools.cache
def numpy_dtype(datatype: str) -> np.dtype[np.generic]:
    """The little-endian numpy dtype; object for BYTES."""
    dtype = DATATYPES[datatype].numpy
    return dtype.newbyteorder("<") if dtype.kind in "iuf" else dtype


def integer_bounds(dtype: np.dtype[np.generic]) -> tuple[int, int]:
    """The smallest and the greatest number of an integer dtype."""
    bits = 8 * dtype.itemsize
    return (0, 2**bits - 1) if dtype.kind == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def array_datatype(array: Array) -> str:
    """The protocol's name of an array's dtype; raises `RequestError` for a dtype that it lacks."""
    name = datatype_of(DType.from_numpy(array.dtype))
    if name is None:
        raise bad_request(f"the protocol has no datatype for {array.dtype}")
    return name


def element_count(shape: Sequence[int]) -> int:
    """The number of elements of a shape, as a Python integer, which does not overflow."""
    count = 1
    for size in shape:
        count *= size
    return count


def from_bytes(name: str, datatype: str, shape: Sequence[int], data: bytes | memoryview) -> Array:
    """The tensor `name` from its binary form: a view of `data`, or a copy if elements would not be aligned.

    Models run fastest on aligned tensors.  Raises `RequestError` if `data` does not have the bytes of the
    shape, and for a BOOL other than 0 and 1.
    """
    count = element_count(shape)
    if datatype == "BYTES":
        return _strings(name, shape, data)
    dtype = numpy_dtype(datatype)
    if count * dtype.itemsize != len(data):
        raise bad_request(
            f"input {name!r}: {datatype} {list(shape)} takes {count * dtype.itemsize} bytes, got {len(data)}"
        )
    if datatype == "BOOL" and count and np.frombuffer(data, np.uint8).max() > 1:
        raise bad_request(f"input {name!r}: expected bytes 0 and 1 for BOOL, got other bytes")
    array = np.frombuffer(data, dtype).reshape(shape)
    return array if array.flags.aligned else array.copy()


def to_bytes(array: Array) -> bytes | memoryview:
    """The binary form of an array: a view of it, where its memory has that form and may be viewed."""
    if array.dtype != object:
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        if little.size and little.flags.c_contiguous and little.dtype.kind in "biuf":
            # The view keeps this very array alive, and so no later run writes to it.
            return little.data.cast("B")
        return little.tobytes()
    parts: list[bytes] = []
    for item in array.flat:
        text = item.encode() if isinstance(item, str) else bytes(item)
        parts += (_LENGTH.pack(len(text)), text)
    return b"".join(parts)


def string_array(items: Sequence[bytes], shape: Sequence[int]) -> Array:
    """An array of byte strings, of the shape `shape`."""
    array = np.empty(len(items), object)
    array[:] = items
    return array.reshape(shape)


def _strings(name: str, shape: Sequence[int], data: bytes | memoryview) -> Array:
    expected = element_count(shape)
    items: list[bytes] = []
    offset, end = 0, len(data)
    while offset < end:
        if end - offset < _LENGTH.size:
            raise bad_request(f"input {name!r}: the data end within the length of string {len(items)}")
        (length,) = _LENGTH.unpack_from(data, offset)
        offset += _LENGTH.size
        if length > end - offset:
            raise bad_request(
                f"input {name!r}: string {len(items)} has {length} bytes, but {end - offset} are left"
            )
        items.append(bytes(data[offset : offset + length]))
        offset += length
        if len(items) > expected:
            break
    if len(items) != expected:
        raise bad_request(
            f"input {name!r}: BYTES {list(shape)} takes {expected} strings, "
            f"got {'more' if len(items) > expected else len(items)}"
        )
    return string_array(items, shape)
