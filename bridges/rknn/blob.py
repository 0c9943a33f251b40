"""A stored model: the .rknn file for a board, and the ONNX model that the simulator needs."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Sequence

from lite.dataclass import dataclass
from lite.errors import CompileError

_HEADER = struct.Struct("<8sIQII")
"""Magic, CRC-32 of the body, and the lengths in bytes of the body, of its shapes and of its ONNX model."""

_MAGIC = b"LBRKNN01"

Shapes = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Stored:
    """The parts of a stored model; `inputs` and `outputs` are the shapes of its tensors."""

    onnx: bytes
    rknn: bytes
    inputs: Shapes
    outputs: Shapes


def pack(stored: Stored) -> bytes:
    """A stored model as bytes: the header, then the shapes in JSON, the ONNX model and the .rknn file."""
    shapes = json.dumps([list(map(list, each)) for each in (stored.inputs, stored.outputs)]).encode()
    body = shapes + stored.onnx + stored.rknn
    return _HEADER.pack(_MAGIC, zlib.crc32(body), len(body), len(shapes), len(stored.onnx)) + body


def unpack(blob: bytes) -> Stored:
    """The reverse of `pack`; raises `CompileError` for other or damaged bytes."""
    if len(blob) < _HEADER.size:
        raise CompileError(f"rknn: a stored model has {len(blob)} bytes, expected {_HEADER.size} at least")
    magic, checksum, size, shapes, onnx = _HEADER.unpack_from(blob)
    body = blob[_HEADER.size :]
    if magic != _MAGIC:
        raise CompileError(f"rknn: expected a stored model, got bytes that begin with {blob[:8]!r}")
    if len(body) != size or zlib.crc32(body) != checksum:
        raise CompileError("rknn: a stored model is damaged: its length or its checksum does not match")
    inputs, outputs = json.loads(body[:shapes])
    return Stored(body[shapes : shapes + onnx], body[shapes + onnx :], inputs, outputs)
