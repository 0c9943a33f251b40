"""Compiled models as bytes: what OpenVINO exports behind a header that tells damage.

OpenVINO reads a blob whose middle was changed without a word, or crashes on it.
"""

from __future__ import annotations

import struct
import zlib

from lite.errors import CompileError

_HEADER = struct.Struct("<8sIQ")
"""Magic, check sum and length."""

_MAGIC = b"LBOVBLB1"


def packed(exported: bytes) -> bytes:
    """`exported` with its header."""
    return _HEADER.pack(_MAGIC, zlib.crc32(exported), len(exported)) + exported


def unpacked(blob: bytes) -> memoryview:
    """What was packed; raises `CompileError` for anything else."""
    if len(blob) < _HEADER.size:
        raise CompileError(f"openvino: a kept model has {len(blob)} bytes, less than its header")
    magic, found, size = _HEADER.unpack_from(blob)
    body = memoryview(blob)[_HEADER.size :]
    if magic != _MAGIC:
        raise CompileError(f"openvino: expected a kept model, got bytes that begin with {blob[:8]!r}")
    if len(body) != size:
        raise CompileError(f"openvino: a kept model has {len(body)} bytes behind its header, expected {size}")
    if zlib.crc32(body) != found:
        raise CompileError("openvino: a kept model is damaged: its check sum is another")
    return body
