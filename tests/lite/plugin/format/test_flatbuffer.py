"""Tables of FlatBuffers: fields, and files whose references ask for much work."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.plugin.format.flatbuffer import Table
from tests.model_parser.tflite.builder import Buffer
from tests.model_parser.tflite.builder import Table as Fields


def flat(fields: Fields) -> bytes:
    """The bytes of a root table."""
    buffer = Buffer()
    buffer.data += bytes(4)
    buffer.refer(0, buffer.table(fields))
    return bytes(buffer.data)


def test_fields_are_read_as_they_were_written() -> None:
    written = Fields({0: "a", 1: ["b", "\N{SNOWMAN}", ""], 2: ("d", 0.1), 3: np.array([1, -2], np.int64)})
    written[5] = [Fields({0: ("i", 7)}), Fields({0: ("i", -7)})]
    table = Table.root(memoryview(flat(written)))
    assert table.string(0) == "a"
    assert table.strings(1) == ["b", "\N{SNOWMAN}", ""]
    assert table.scalar(2, "d", 0.0) == 0.1
    assert table.numbers(3, "q").tolist() == [1, -2]
    assert table.strings(4) == []
    assert [each.integer(0, "i") for each in table.tables(5)] == [7, -7]


def test_a_string_that_is_not_utf_8_is_refused() -> None:
    table = Table.root(flat(Fields({0: [b"\xff\xfe"]})))
    with pytest.raises(ModelParseError, match="field 0: a string is not UTF-8"):
        table.strings(0)


def test_references_that_lead_to_one_place_are_limited() -> None:
    root = struct.pack("<IHHHHi", 12, 6, 8, 4, 0, 8)  # a vtable at 4, and a table at 12 with one field
    root += struct.pack("<II", 4, 500)
    inner = len(root) + 4 * 500 + 6 + 2  # after the references a vtable, then the table that all lead to
    references = b"".join(struct.pack("<I", inner - len(root) - 4 * n) for n in range(500))
    strings = struct.pack("<II", 4, 500) + b"".join(struct.pack("<I", 4 * (500 - n)) for n in range(500))
    data = root + references + struct.pack("<HHHHi", 6, 8, 4, 0, 8) + strings + struct.pack("<I", 0)
    table = Table.root(data)
    assert len(table.tables(0)) == 500
    with pytest.raises(ModelParseError, match="lead to the same bytes more than 64 times"):
        [row.strings(0) for row in table.tables(0)]
