"""The header of stored models, without OpenVINO."""

from __future__ import annotations

import pytest

from lite.bridges.openvino.blob import pack, unpack
from lite.errors import CompileError


@pytest.mark.parametrize("body", [b"", b"a", bytes(range(256)) * 9])
def test_unpack_returns_the_packed_bytes(body: bytes) -> None:
    assert bytes(unpack(pack(body))) == body


@pytest.mark.parametrize("length", [0, 7, 19, 20, 30])
def test_a_truncated_blob_is_an_error(length: int) -> None:
    with pytest.raises(CompileError, match="bytes"):
        unpack(pack(bytes(40))[:length])


@pytest.mark.parametrize("at", range(0, 60, 3))
def test_a_changed_byte_is_an_error(at: int) -> None:
    blob = bytearray(pack(bytes(40)))
    blob[at] ^= 1

    with pytest.raises(CompileError, match=r"openvino: (a stored model|expected a stored model)"):
        unpack(bytes(blob))


def test_more_bytes_are_an_error() -> None:
    with pytest.raises(CompileError, match="41 bytes after its header, expected 40"):
        unpack(pack(bytes(40)) + b"x")
