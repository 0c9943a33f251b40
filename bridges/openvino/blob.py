"""Compiled models as bytes: OpenVINO's export with a header that detects damage.

OpenVINO imports a blob with damaged bytes without an error, or crashes on it.
"""

from __future__ import annotations

import struct
import zlib

from lite.errors import CompileError

_HEADER = struct.Struct("<8sIQ")
"""Magic, checksum and length."""

_MAGIC = b"LBOVBLB1"


def pack(exported: bytes) -> bytes:
    """`exported` with its header."""
    return _HEADER.pack(_MAGIC, zlib.crc32(exported), len(exported)) + exported


def unpack(blob: bytes) -> memoryview:
    """The export in a blob of `pack`; raises `CompileError` for other or damaged bytes."""
    if len(blob) < _HEADER.size:
        raise CompileError(
            f"openvino: a stored model has {len(blob)} bytes, expected a header of {_HEADER.size} at least"
        )
    magic, checksum, size = _HEADER.unpack_from(blob)
    body = memoryview(blob)[_HEADER.size :]
    if magic != _MAGIC:
        raise CompileError(f"openvino: expected a stored model, got bytes that begin with {blob[:8]!r}")
    if len(body) != size:
        raise CompileError(
            f"openvino: a stored model has {len(body)} bytes after its header, expected {size}"
        )
    if zlib.crc32(body) != checksum:
        raise CompileError("openvino: a stored model is damaged: its checksum does not match")
    return body
