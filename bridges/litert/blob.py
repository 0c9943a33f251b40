"""Compiled models as bytes: the ``.tflite`` file after a header that detects damage.

LiteRT reads a damaged file without a check of its content.
"""

from __future__ import annotations

import struct
import zlib

from lite.errors import CompileError

_HEADER = struct.Struct("<8sIQ")
"""Magic, checksum and length."""

_MAGIC = b"LBTFLIT1"


def pack(model: bytes) -> bytes:
    """A model with its header."""
    return _HEADER.pack(_MAGIC, zlib.crc32(model), len(model)) + model


def unpack(blob: bytes) -> bytes:
    """The model in a blob of `pack`; raises `CompileError` for other or damaged bytes."""
    if len(blob) < _HEADER.size:
        raise CompileError(
            f"litert: a stored model has {len(blob)} bytes, expected a header of {_HEADER.size} at least"
        )
    magic, checksum, size = _HEADER.unpack_from(blob)
    model = blob[_HEADER.size :]
    if magic != _MAGIC:
        raise CompileError(f"litert: expected a stored model, got bytes that begin with {blob[:8]!r}")
    if len(model) != size:
        raise CompileError(f"litert: a stored model has {len(model)} bytes after its header, expected {size}")
    if zlib.crc32(model) != checksum:
        raise CompileError("litert: a stored model is damaged: its checksum does not match")
    return model
