"""FlatBuffers: fields, alignment of vectors, and the largest size."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from lite.emission.tflite import flatbuffer
from lite.emission.tflite.flatbuffer import Scalar, write
from lite.errors import CompileError


def field(data: bytes, table: int, number: int) -> int:
    """The position of a field of a table; 0 for an absent one."""
    vtable = table - struct.unpack_from("<i", data, table)[0]
    size = struct.unpack_from("<H", data, vtable)[0]
    at = 4 + 2 * number
    offset = struct.unpack_from("<H", data, vtable + at)[0] if at < size else 0
    return table + offset if offset else 0


def follow(data: bytes, position: int) -> int:
    """The target of a distance."""
    return position + int(struct.unpack_from("<I", data, position)[0])


def test_a_table_has_its_fields_and_no_others() -> None:
    data = write({0: Scalar("b", -3), 2: Scalar("f", 0.5), 3: "text"}, b"TEST")
    table = follow(data, 0)

    assert data[4:8] == b"TEST"
    assert struct.unpack_from("<b", data, field(data, table, 0)) == (-3,)
    assert field(data, table, 1) == 0
    assert struct.unpack_from("<f", data, field(data, table, 2)) == (0.5,)
    text = follow(data, field(data, table, 3))
    assert data[text : text + 9] == struct.pack("<I", 4) + b"text\0"
    assert field(data, table, 4) == 0


@pytest.mark.parametrize("extra", ["", "x", "xxxxxxx"])
def test_elements_of_vectors_are_aligned(extra: str) -> None:
    array = np.arange(6, dtype=np.int64).reshape(2, 3)
    data = write({0: extra, 1: [{0: array.T}, {0: np.zeros(0, np.int32)}]}, b"TEST")

    tables = follow(data, field(data, follow(data, 0), 1))
    vector = follow(data, field(data, follow(data, tables + 4), 0))

    assert struct.unpack_from("<I", data, tables) == (2,)
    assert (vector + 4) % 16 == 0
    assert struct.unpack_from("<I6q", data, vector) == (6, 0, 3, 1, 4, 2, 5)


def test_a_file_that_is_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flatbuffer, "_LARGEST", 100)

    with pytest.raises(CompileError, match="more than 100 bytes"):
        write({0: np.zeros(101, np.uint8)}, b"TEST")
