"""Paddle-Lite's own files are told by their first bytes."""

from __future__ import annotations

import struct

import pytest

from lite.compat.paddlelite.naive_buffer import HEADER_BYTES, refuse_naive_buffer
from lite.errors import ModelParseError


def header(meta_version: int, version: bytes) -> bytes:
    return struct.pack("<H16s", meta_version, version)


@pytest.mark.parametrize("meta_version", [0, 1, 2])
@pytest.mark.parametrize("version", [b"v2.13-rc0", b"3d329c954c", b"v2.10.0-0123456+"])
def test_naive_buffers(meta_version: int, version: bytes) -> None:
    with pytest.raises(ModelParseError) as error:
        refuse_naive_buffer(header(meta_version, version) + b"and more", "m.nb")
    text = str(error.value)
    assert text.startswith(f"m.nb: is a naive buffer (.nb, layout {meta_version}) written by Paddle-Lite ")
    assert version.decode() in text
    assert "load the model it was made from" in text


@pytest.mark.parametrize(
    "prefix",
    [
        b"",
        b"\0" * HEADER_BYTES,
        header(2, b"v2.13")[: HEADER_BYTES - 1],
        header(3, b"v2.13"),
        header(1, b"\xff\xfe"),
        header(1, b"v2\0.13"),
        b"\x0a" + b"a" * HEADER_BYTES,
    ],
)
def test_other_content(prefix: bytes) -> None:
    refuse_naive_buffer(prefix, "a file")
