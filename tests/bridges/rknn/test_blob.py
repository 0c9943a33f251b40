"""Stored models: the .rknn file and the ONNX model."""

from __future__ import annotations

import pytest

from lite.bridges.rknn.blob import Stored, pack, unpack
from lite.errors import CompileError

STORED = Stored(b"the onnx model", b"the rknn file", [[1, 3, 8, 8]], [[1, 8], [2]])


def test_both_files_and_the_shapes_are_kept() -> None:
    assert unpack(pack(STORED)) == STORED


@pytest.mark.parametrize(
    ("blob", "message"),
    [
        (b"", "rknn: a stored model has 0 bytes, expected 28 at least"),
        (b"other" + pack(STORED)[5:], "rknn: expected a stored model, got bytes that begin with b'other"),
        (pack(STORED)[:-1], "rknn: a stored model is damaged: its length or its checksum does not match"),
        (
            pack(STORED)[:-1] + b"?",
            "rknn: a stored model is damaged: its length or its checksum does not match",
        ),
    ],
)
def test_other_and_damaged_bytes_are_refused(blob: bytes, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        unpack(blob)
    assert str(caught.value).startswith(message)
