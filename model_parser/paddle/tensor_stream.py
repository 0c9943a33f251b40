"""The stream of one tensor, as Paddle's ``lod_tensor.cc`` and ``tensor_util.cc`` write it, little endian.

| bytes         | content                                               |
|---------------|-------------------------------------------------------|
| 4             | version of the stream, 0                              |
| 8             | number of LoD levels                                  |
| 8 + n a level | n, the size of the level's offsets (8 each); offsets   |
| 4             | version of the tensor, 0                              |
| 4             | d, the size of the description                        |
| d             | TensorDesc protobuf: element type and dims            |
| rest          | the elements, row-major                               |

Messages of errors contain the position of the byte; the caller adds the file and the variable.
"""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Iterator
from typing import cast

import numpy as np
from google.protobuf.message import DecodeError

from lite.dataclass import dataclass
from lite.errors import GraphError, ModelParseError
from lite.ir.program import Weight
from lite.ir.types import DType, Lod

Buffer = bytes | mmap.mmap

_U32 = struct.Struct("<I")
_I32 = struct.Struct("<i")
_U64 = struct.Struct("<Q")

MAX_LOD_LEVELS = 64
MAX_RANK = 32
"""The limit of numpy before 2.0; the limit of Paddle is 9."""
MAX_DESC_BYTES = 4096

_DTYPES = {dtype.code: dtype for dtype in DType if dtype.in_paddle and dtype is not DType.STRING}


@dataclass(frozen=True)
class Header:
    """The header of a stream: the type and shape of the tensor, and positions in the buffer."""

    dtype: DType
    shape: tuple[int, ...]
    lod_levels: tuple[tuple[int, int], ...]
    """For each level the position of its first offset and the number of offsets."""
    data: int
    """Position of the first element."""

    @property
    def data_bytes(self) -> int:
        """The size of all elements in bytes."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_header(buffer: Buffer, offset: int) -> Header:
    """The header at `offset`; the bytes after it are not read.  Raises `ModelParseError`."""
    _expect_zero(buffer, offset, "the version of the stream")
    levels = _number(_U64, buffer, offset + 4, "the number of LoD levels")
    if levels > MAX_LOD_LEVELS:
        raise ModelParseError(f"{levels} LoD levels at byte {offset + 4}, expected at most {MAX_LOD_LEVELS}")
    position = offset + 12
    lod_levels = []
    for level in range(levels):
        size = _number(_U64, buffer, position, f"the size of LoD level {level}")
        position += 8
        if size % 8 or size > len(buffer) - position:
            raise ModelParseError(
                f"LoD level {level} at byte {position - 8} has size {size}, expected a multiple of 8, at "
                f"most {len(buffer) - position} (the bytes left)"
            )
        lod_levels.append((position, size // 8))
        position += size
    _expect_zero(buffer, position, "the version of the tensor")
    size = _number(_I32, buffer, position + 4, "the size of the tensor's description")
    position += 8
    if not 0 < size <= min(MAX_DESC_BYTES, len(buffer) - position):
        raise ModelParseError(
            f"the tensor's description at byte {position - 4} has size {size}, expected 1 to "
            f"{min(MAX_DESC_BYTES, len(buffer) - position)}"
        )
    dtype, shape = _read_desc(buffer[position : position + size], position)
    return Header(dtype, shape, tuple(lod_levels), position + size)


def read_tensor(buffer: Buffer, offset: int) -> tuple[Weight, int]:
    """The tensor at `offset` as a read-only view of `buffer`, and the position after its last byte.

    Raises `ModelParseError`, before it allocates memory, where the elements exceed the buffer.
    """
    header = read_header(buffer, offset)
    size, available = header.data_bytes, len(buffer) - header.data
    if size > available:
        raise ModelParseError(
            f"{header.dtype} elements of shape {list(header.shape)} at byte {header.data} need {size} bytes, "
            f"got {available}"
        )
    lod: Lod = tuple(struct.unpack_from(f"<{n}Q", buffer, at) for at, n in header.lod_levels)
    array = _array(buffer, header)
    array.flags.writeable = False
    return Weight(array, lod), header.data + size


def write_tensor(weight: Weight) -> Iterator[bytes | memoryview]:
    """The stream of one tensor in chunks; raises `ModelParseError` for a tensor that Paddle cannot store."""
    array = weight.array
    try:
        dtype = DType.from_numpy(array.dtype)
    except GraphError as error:
        raise ModelParseError(str(error)) from error
    if dtype is DType.STRING:
        raise ModelParseError("strings cannot be saved as a parameter; keep them outside the model")
    if not dtype.in_paddle:
        raise ModelParseError(f"Paddle has no element type {dtype}; cast the parameter")
    from lite.model_parser.paddle.framework_pb2 import VarType

    desc = VarType.TensorDesc(data_type=cast(VarType.Type, dtype.code), dims=array.shape)
    desc_bytes = desc.SerializeToString()
    yield bytes(4) + _U64.pack(len(weight.lod))
    for offsets in weight.lod:
        try:
            yield _U64.pack(8 * len(offsets)) + struct.pack(f"<{len(offsets)}Q", *offsets)
        except struct.error as error:
            raise ModelParseError(f"LoD offsets must be integers from 0 to 2^64-1: {error}") from error
    yield bytes(4) + _I32.pack(len(desc_bytes)) + desc_bytes
    native = array.astype(dtype.numpy, copy=False)
    # Bytes, because memoryview supports neither bfloat16 nor float8.
    yield np.ascontiguousarray(native).reshape(-1).view(np.uint8).data


def _array(buffer: Buffer, header: Header) -> np.ndarray:
    count = math.prod(header.shape)
    try:
        if count == 0:
            return np.empty(header.shape, header.dtype.numpy)
        flat = np.frombuffer(buffer, header.dtype.numpy, count, header.data)
        return flat.reshape(header.shape)
    except ValueError as error:
        raise ModelParseError(f"numpy cannot hold the shape {list(header.shape)}: {error}") from error


def _read_desc(data: bytes, position: int) -> tuple[DType, tuple[int, ...]]:
    # Imported here: the parser looks for the header of a stream in models of other formats, too.
    from lite.model_parser.paddle.framework_pb2 import VarType

    desc = VarType.TensorDesc()
    try:
        desc.ParseFromString(data)
    except DecodeError as error:
        raise ModelParseError(f"the tensor's description at byte {position} is not a TensorDesc") from error
    if not desc.HasField("data_type"):
        raise ModelParseError(
            f"the tensor's description at byte {position} has an unknown element type, or none"
        )
    dtype = _DTYPES.get(desc.data_type)
    if dtype is None:
        raise ModelParseError(
            f"element type number {desc.data_type} at byte {position}, expected one of {sorted(_DTYPES)}"
        )
    shape = tuple(desc.dims)
    if len(shape) > MAX_RANK:
        raise ModelParseError(f"{len(shape)} dims at byte {position}, expected at most {MAX_RANK}")
    if any(dim < 0 for dim in shape):
        raise ModelParseError(f"negative size in the dims {list(shape)} at byte {position}")
    return dtype, shape


def _expect_zero(buffer: Buffer, position: int, field: str) -> None:
    value = _number(_U32, buffer, position, field)
    if value != 0:
        raise ModelParseError(f"{field} at byte {position} is {value}, expected 0")


def _number(layout: struct.Struct, buffer: Buffer, position: int, field: str) -> int:
    if position + layout.size > len(buffer):
        raise ModelParseError(
            f"the data ends at byte {len(buffer)}, expected {layout.size} bytes for {field} at byte "
            f"{position}"
        )
    value: int = layout.unpack_from(buffer, position)[0]
    return value
