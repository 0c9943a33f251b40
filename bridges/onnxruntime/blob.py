"""An optimised model as bytes that tell whether they are whole."""

from __future__ import annotations

import hashlib

from lite.errors import CompileError

_MAGIC = b"litebridge onnxruntime 1\n"
_DIGEST = hashlib.blake2b(b"", digest_size=16).digest_size


def packed(model: bytes) -> bytes:
    """The model behind a mark and a checksum."""
    return _MAGIC + _checksum(model) + model


def unpacked(blob: bytes) -> memoryview:
    """The model; raises `CompileError` for bytes that `packed` did not make, or that changed since."""
    head = len(_MAGIC) + _DIGEST
    if blob[: len(_MAGIC)] != _MAGIC or len(blob) < head:
        raise CompileError("these bytes are no model that this device kept")
    model = memoryview(blob)[head:]
    if _checksum(model) != blob[len(_MAGIC) : head]:
        raise CompileError("the kept model is damaged: its checksum differs")
    return model


def _checksum(model: bytes | memoryview) -> bytes:
    return hashlib.blake2b(model, digest_size=16).digest()
