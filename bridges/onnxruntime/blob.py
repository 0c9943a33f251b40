"""An optimised model as bytes with a checksum that detects damage."""

from __future__ import annotations

import hashlib

from lite.errors import CompileError

_MAGIC = b"litebridge onnxruntime 1\n"
_DIGEST = hashlib.blake2b(b"", digest_size=16).digest_size


def pack(model: bytes) -> bytes:
    """The model after a magic and a checksum (BLAKE2b, 16 bytes)."""
    return _MAGIC + _checksum(model) + model


def unpack(blob: bytes) -> memoryview:
    """The model in a blob of `pack`; raises `CompileError` for other or damaged bytes."""
    head = len(_MAGIC) + _DIGEST
    if blob[: len(_MAGIC)] != _MAGIC or len(blob) < head:
        raise CompileError(
            f"onnxruntime: expected a stored model, {head} bytes at least that begin with {_MAGIC!r}, "
            f"got {len(blob)} bytes that begin with {bytes(blob[: len(_MAGIC)])!r}"
        )
    model = memoryview(blob)[head:]
    if _checksum(model) != blob[len(_MAGIC) : head]:
        raise CompileError("onnxruntime: a stored model is damaged: its checksum does not match")
    return model


def _checksum(model: bytes | memoryview) -> bytes:
    return hashlib.blake2b(model, digest_size=16).digest()
