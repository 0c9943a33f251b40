"""Stored models: what `pack` wrote is read, and anything else is an error."""

from __future__ import annotations

import pytest

from lite.bridges.litert.blob import pack, unpack
from lite.errors import CompileError

MODEL = bytes(range(100))


def test_a_packed_model_is_read() -> None:
    assert unpack(pack(MODEL)) == MODEL


@pytest.mark.parametrize(
    ("blob", "message"),
    [
        (b"", "0 bytes, expected a header"),
        (b"other" * 10, "bytes that begin with b'otherot"),
        (pack(MODEL)[:-1], "99 bytes after its header, expected 100"),
        (pack(MODEL)[:-1] + b"\0", "its checksum does not match"),
    ],
)
def test_other_bytes_are_an_error(blob: bytes, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        unpack(blob)
