"""A stored model: the .rknn file for a board, and the ONNX model that the simulator needs."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Sequence

from lite.dataclass import dataclass
from lite.errors import CompileError

_HEADER = struct.Struct("<8sIQII")
"""Magic, checksum of what follows, its length, length of the shapes, length of the ONNX model."""

_MAGIC = b"LBRKNN01"

Shapes = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Stored:
    """What a stored model holds; `inputs` and `outputs` are shapes."""

    onnx: bytes
    rknn: bytes
    inputs: Shapes
    outputs: Shapes


def pack(stored: Stored) -> bytes:
    """A model as bytes."""
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
