"""Tensors of gRPC messages, apart from the rest of the message: protobuf would copy them several times.

A message of protobuf is a sequence of fields: a key, which is ``8 * number + type``, and a value.  Keys and
lengths are varints: 7 bits in a byte, the lowest first, with the eighth bit set in all bytes but the last.
See the encoding guide of protocol buffers.
"""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import DecodeError

from lite.serving.oip import oip_pb2 as pb

_BYTES = 2
"""The type of fields that have a length."""

_FIXED = {1: 8, 5: 4}
"""The sizes of values by types, where they are fixed."""

_INPUTS = pb.ModelInferRequest.RAW_INPUT_CONTENTS_FIELD_NUMBER
_OUTPUTS = pb.ModelInferResponse.RAW_OUTPUT_CONTENTS_FIELD_NUMBER
_RESPONSE = pb.ModelStreamInferResponse.INFER_RESPONSE_FIELD_NUMBER


def split_request(data: bytes) -> tuple[pb.ModelInferRequest, list[memoryview]]:
    """The message without `raw_input_contents`, and views of these; raises `DecodeError`."""
    view = memoryview(data)
    rest: list[memoryview] = []
    tensors: list[memoryview] = []
    position = start = 0
    while position < len(data):
        begin = position
        key, position = _varint(data, position)
        kind = key & 7
        if kind == 0:
            _, position = _varint(data, position)
        elif kind == _BYTES:
            length, position = _varint(data, position)
            if length > len(data) - position:
                raise DecodeError(f"a field has {length} bytes, but {len(data) - position} are left")
            position += length
            if key >> 3 == _INPUTS:
                tensors.append(view[position - length : position])
                rest.append(view[start:begin])
                start = position
        elif kind in _FIXED:
            position += _FIXED[kind]
        else:
            raise DecodeError(f"a field has the type {kind}")
    rest.append(view[start:])
    return pb.ModelInferRequest.FromString(b"".join(rest)), tensors


def join_response(message: pb.ModelInferResponse, tensors: Sequence[bytes | memoryview]) -> bytes:
    """The bytes of a message with these `raw_output_contents`."""
    parts: list[bytes | memoryview] = [message.SerializeToString()]
    for tensor in tensors:
        parts += (_head(_OUTPUTS, len(tensor)), tensor)
    return b"".join(parts)


def stream_response(response: bytes) -> bytes:
    """The bytes of a `ModelStreamInferResponse` with a response."""
    return _head(_RESPONSE, len(response)) + response


def _head(number: int, length: int) -> bytes:
    """The key and the length of a field."""
    return _encoded(8 * number + _BYTES) + _encoded(length)


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """The number at a position, and the position after it."""
    if position < len(data) and data[position] < 128:
        return data[position], position + 1
    number = 0
    for shift in range(0, 70, 7):
        if position == len(data):
            raise DecodeError("the data end within a number")
        byte = data[position]
        position += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, position
    raise DecodeError("a number has more than ten bytes")


def _encoded(number: int) -> bytes:
    content = bytearray()
    while number > 127:
        content.append(number & 127 | 128)
        number >>= 7
    content.append(number)
    return bytes(content)
