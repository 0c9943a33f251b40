"""The bytes of stored models, without ONNX Runtime."""

from __future__ import annotations

import pytest

from lite.bridges.onnxruntime.blob import pack, unpack
from lite.errors import CompileError


@pytest.mark.parametrize("model", [b"", b"a", bytes(range(256)) * 9])
def test_unpack_returns_the_packed_model(model: bytes) -> None:
    assert bytes(unpack(pack(model))) == model


@pytest.mark.parametrize("length", [0, 7, 25, 40, 50])
def test_a_truncated_blob_is_an_error(length: int) -> None:
    with pytest.raises(CompileError, match=r"expected a stored model|checksum does not match"):
        unpack(pack(bytes(40))[:length])


@pytest.mark.parametrize("at", range(0, 80, 3))
def test_a_changed_byte_is_an_error(at: int) -> None:
    blob = bytearray(pack(bytes(40)))
    blob[at] ^= 1

    with pytest.raises(CompileError, match=r"expected a stored model|checksum does not match"):
        unpack(bytes(blob))


def test_more_bytes_are_an_error() -> None:
    with pytest.raises(CompileError, match="checksum does not match"):
        unpack(pack(bytes(40)) + b"x")
