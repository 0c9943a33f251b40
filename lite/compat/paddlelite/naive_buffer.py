"""Recognises Paddle-Lite's own model files, which are not read here."""

from __future__ import annotations

import struct

from lite.errors import ModelParseError

_HEADER = struct.Struct("<H16s")
HEADER_BYTES = _HEADER.size
"""This many bytes from the beginning are enough to tell."""

_META_VERSIONS = range(3)


def refuse_naive_buffer(prefix: bytes, label: str) -> None:
    """Raise `ModelParseError` when the content of `label` begins like a naive buffer (``.nb``).

    That is the number of its layout, 0 to 2, and the version of Paddle-Lite that wrote it: up to 16
    characters, filled up with zeros.
    """
    if len(prefix) < HEADER_BYTES:
        return
    meta_version, padded = _HEADER.unpack_from(prefix)
    version = padded.rstrip(b"\0")
    if meta_version not in _META_VERSIONS or not version or not all(32 < byte < 127 for byte in version):
        return
    raise ModelParseError(
        f"{label}: is a naive buffer (.nb, layout {meta_version}) written by Paddle-Lite "
        f"{version.decode('ascii')}; it holds kernels picked for one processor and is not read here: load "
        "the model it was made from (*.pdmodel and *.pdiparams, or __model__), with CxxConfig, or save "
        "that one with save_optimized_model"
    )
