"""Takes the bytes of large tensors out of a ModelProto before protobuf reads it.

Protobuf would copy them twice, and keep both copies until the model is read.  Here each stays where it is, in
a mapped file or a buffer; the message that remains refers to it as if it were external data.  The field
numbers are those of onnx.proto, the encoding is that of protocol buffers.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lite.ir.types import Array
from lite.model_parser.onnx.messages import TensorProto
from lite.plugin.format import FileContent

LEAST_FILE = 1 << 22
"""The size in bytes from which a model is read this way: going through the fields takes time, too."""

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


def take_large_tensors(content: FileContent) -> tuple[bytes, list[Array]]:
    """The message without the data of large tensors, and these as ``uint8``, views of the content.

    The whole message and no arrays for content that is small or not as expected.
    """
    taken: list[Array] = []
    if len(content) >= LEAST_FILE:
        try:
            return _copied(content, 0, len(content), _MODEL, taken), taken
        except _UnexpectedError:
            pass
    return content[:], []


def _copied(content: FileContent, start: int, end: int, fields: Fields, taken: list[Array]) -> bytes:
    """The fields of a message from `start` to `end`; those on the way to a large tensor are changed."""
    if fields is _TENSOR:
        return _without_data(content, start, end, taken)
    parts: list[bytes] = []
    before = len(taken)
    while start < end:
        number, begin, stop = _field(content, start, end)
        inner = fields.get(number)
        if fields is _ATTRIBUTE and inner is _TENSOR and len(taken) > before:
            # Protobuf would merge a second tensor into the first.
            raise _UnexpectedError
        if inner is not None and stop - begin >= LEAST_TENSOR:
            parts.append(_sized(number, _copied(content, begin, stop, inner, taken)))
        else:
            parts.append(content[start:stop])
        start = stop
    return b"".join(parts)


def _without_data(content: FileContent, start: int, end: int, taken: list[Array]) -> bytes:
    """A TensorProto from `start` to `end`, whose raw data is taken out if it is large."""
    parts: list[bytes] = []
    is_taken = False
    while start < end:
        number, begin, stop = _field(content, start, end)
        if number in _REFUSED or (number == _RAW_DATA and is_taken):
            raise _UnexpectedError
        if number == _RAW_DATA and stop - begin >= LEAST_TENSOR:
            entries = {"location": TAKEN, "offset": str(len(taken))}
            reference = TensorProto(data_location=TensorProto.EXTERNAL)
            for key, value in entries.items():
                reference.external_data.add(key=key, value=value)
            parts.append(reference.SerializeToString())
            taken.append(np.frombuffer(content, np.uint8, stop - begin, begin))
            is_taken = True
        else:
            parts.append(content[start:stop])
        start = stop
    return b"".join(parts)


def _field(content: FileContent, start: int, end: int) -> tuple[int, int, int]:
    """The number of the field at `start`, where its data begins after tag and length, and where it ends."""
    tag, begin = _varint(content, start)
    number, kind = divmod(tag, 8)
    if kind == _VARINT:
        _, stop = _varint(content, begin)
    elif kind == _SIZED:
        length, begin = _varint(content, begin)
        stop = begin + length
    elif kind in _FIXED:
        stop = begin + _FIXED[kind]
    else:
        raise _UnexpectedError
    if stop > end:
        raise _UnexpectedError
    return number, begin, stop


def _varint(content: FileContent, start: int) -> tuple[int, int]:
    """A number in groups of seven bits, the lowest first, and where it ends.

    All groups but the last have the highest bit set.
    """
    number = 0
    for place, byte in enumerate(content[start : start + 10]):
        number |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return number, start + place + 1
    raise _UnexpectedError


def _sized(number: int, content: bytes) -> bytes:
    return _encoded(number << 3 | _SIZED) + _encoded(len(content)) + content


def _encoded(number: int) -> bytes:
    groups = []
    while number >= 0x80:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*groups, number])
