"""The header of kept models, without OpenVINO."""

from __future__ import annotations

import pytest

from lite.bridges.openvino.blob import packed, unpacked
from lite.errors import CompileError


@pytest.mark.parametrize("body", [b"", b"a", bytes(range(256)) * 9])
def test_what_was_packed_comes_back(body: bytes) -> None:
    assert bytes(unpacked(packed(body))) == body


@pytest.mark.parametrize("length", [0, 7, 19, 20, 30])
def test_a_truncated_blob_is_an_error(length: int) -> None:
    with pytest.raises(CompileError, match="bytes"):
        unpacked(packed(bytes(40))[:length])


@pytest.mark.parametrize("at", range(0, 60, 3))
def test_a_changed_byte_is_an_error(at: int) -> None:
    blob = bytearray(packed(bytes(40)))
    blob[at] ^= 1

    with pytest.raises(CompileError, match=r"openvino: (a kept model|expected a kept model)"):
        unpacked(bytes(blob))


def test_more_bytes_are_an_error() -> None:
    with pytest.raises(CompileError, match="41 bytes behind its header, expected 40"):
        unpacked(packed(bytes(40)) + b"x")
