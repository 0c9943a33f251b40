"""Takes the bytes of large tensors out of a ModelProto before protobuf reads it.

Protobuf would copy them twice, and keep both copies until the model is read.  Here each is read once from the
file, into an array of its own; the message that remains refers to it as if it were external data.  The field
numbers are those of onnx.proto, the encoding is that of protocol buffers.
"""

from __future__ import annotations

from collections.abc import Mapping
from io import BufferedReader, BytesIO

import numpy as np

from lite.ir.types import Array
from lite.model_parser.onnx.messages import TensorProto

Content = BufferedReader | BytesIO

LEAST_FILE = 1 << 22
"""The size in bytes from which a file is read this way: going through the fields takes time, too."""

LEAST_TENSOR = 1 << 16
"""The size in bytes from which a tensor is taken out."""

TAKEN = "\0"
"""The location of data that was taken out; no file can have this name.  The offset is its number."""

Fields = Mapping[int, "Fields"]

_TENSOR: Fields = {}
_ATTRIBUTE: Fields = {5: _TENSOR}
_GRAPH: Fields = {1: {5: _ATTRIBUTE}, 5: _TENSOR}
_MODEL: Fields = {7: _GRAPH}
"""The fields that lead to a tensor: of a graph its initialisers and the attributes of its nodes."""

_RAW_DATA = 9
_REFUSED = frozenset((13, 14))
"""The fields of external data."""

_VARINT, _EIGHT_BYTES, _SIZED, _FOUR_BYTES = 0, 1, 2, 5
_FIXED = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}


class _UnexpectedError(Exception):
    """Protobuf shall read the whole file, and say what is wrong with it if anything is."""


def take_large_tensors(file: Content, size: int) -> tuple[bytes, list[Array]]:
    """The message in a file of `size` bytes without the data of large tensors, and these as ``uint8``.

    The whole message and no arrays for a file that is small or that is not as expected.
    """
    taken: list[Array] = []
    if size >= LEAST_FILE:
        try:
            return _copied(file, size, _MODEL, taken), taken
        except _UnexpectedError:
            file.seek(0)
    return file.read(), []


def _copied(file: Content, end: int, fields: Fields, taken: list[Array]) -> bytes:
    """The fields of a message up to `end`; those on the way to a large tensor are changed."""
    if fields is _TENSOR:
        return _without_data(file, end, taken)
    parts: list[bytes] = []
    before = len(taken)
    while (start := file.tell()) < end:
        number, stop = _field(file, end)
        inner = fields.get(number)
        if fields is _ATTRIBUTE and inner is _TENSOR and len(taken) > before:
            # Protobuf would merge a second tensor into the first.
            raise _UnexpectedError
        if inner is not None and stop - file.tell() >= LEAST_TENSOR:
            parts.append(_sized(number, _copied(file, stop, inner, taken)))
        else:
            parts.append(_read(file, start, stop))
    return b"".join(parts)


def _without_data(file: Content, end: int, taken: list[Array]) -> bytes:
    """A TensorProto up to `end`, whose raw data is taken out if it is large."""
    parts: list[bytes] = []
    is_taken = False
    while (start := file.tell()) < end:
        number, stop = _field(file, end)
        size = stop - file.tell()
        if number in _REFUSED or (number == _RAW_DATA and is_taken):
            raise _UnexpectedError
        if number == _RAW_DATA and size >= LEAST_TENSOR:
            data = np.empty(size, np.uint8)
            if file.readinto(data.data) != size:
                raise _UnexpectedError
            entries = {"location": TAKEN, "offset": str(len(taken))}
            reference = TensorProto(data_location=TensorProto.EXTERNAL)
            for key, value in entries.items():
                reference.external_data.add(key=key, value=value)
            parts.append(reference.SerializeToString())
            taken.append(data)
            is_taken = True
        else:
            parts.append(_read(file, start, stop))
    return b"".join(parts)


def _field(file: Content, end: int) -> tuple[int, int]:
    """The number of the field at the position in the file, and where it ends; reads its tag and length."""
    number, kind = divmod(_varint(file), 8)
    if kind == _VARINT:
        _varint(file)
        stop = file.tell()
    elif kind == _SIZED:
        length = _varint(file)
        stop = file.tell() + length
    elif kind in _FIXED:
        stop = file.tell() + _FIXED[kind]
    else:
        raise _UnexpectedError
    if stop > end:
        raise _UnexpectedError
    return number, stop


def _read(file: Content, start: int, stop: int) -> bytes:
    file.seek(start)
    return file.read(stop - start)


def _varint(file: Content) -> int:
    """A number in groups of seven bits, the lowest first; all but the last have the highest bit set."""
    number = 0
    for shift in range(0, 64, 7):
        byte = file.read(1)
        if not byte:
            break
        number |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return number
    raise _UnexpectedError


def _sized(number: int, content: bytes) -> bytes:
    return _encoded(number << 3 | _SIZED) + _encoded(len(content)) + content


def _encoded(number: int) -> bytes:
    groups = []
    while number >= 0x80:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*groups, number])
