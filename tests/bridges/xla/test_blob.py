"""Stored models: what `pack` wrote is read, and anything else is an error."""

from __future__ import annotations

import pytest

from lite.bridges.xla.blob import Program, pack, unpack
from lite.errors import CompileError
from lite.ir.types import DType

PROGRAM = Program("module {}" * 50, ((DType.FLOAT32, (2, 3)),), ((DType.INT64, ()), (DType.BOOL, (1,))))


def test_a_packed_program_is_read() -> None:
    assert unpack(pack(PROGRAM)) == PROGRAM


@pytest.mark.parametrize(
    ("blob", "message"),
    [
        (b"", "expected a stored model, got 0 other bytes"),
        (b"other" * 10, "expected a stored model, got 50 other bytes"),
        (pack(PROGRAM)[:-1], "its checksum does not match"),
        (pack(PROGRAM)[:-1] + b"\0", "its checksum does not match"),
    ],
)
def test_other_bytes_are_an_error(blob: bytes, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        unpack(blob)
