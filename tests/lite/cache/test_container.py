"""The file format: every byte is checked."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from lite.cache.container import (
    ALIGNMENT,
    DamagedError,
    map_container,
    pack,
    read_container,
    read_header,
)

HEADER = {"described": "région", "n": 1}
BLOB = bytes(range(256))


def packed(blob: bytes = BLOB) -> bytes:
    return b"".join(pack(HEADER, blob))


@pytest.mark.parametrize("blob", [b"", b"\0", BLOB, BLOB * 1000])
def test_what_is_packed_comes_back(blob: bytes) -> None:
    content = packed(blob)
    assert read_container(io.BytesIO(content), len(content)) == (HEADER, blob)
    assert read_header(io.BytesIO(content), len(content)) == HEADER


@pytest.mark.parametrize("length", range(0, 130, 13))
def test_a_mapped_blob_is_aligned_and_outlives_its_file(tmp_path: Path, length: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"".join(pack({"described": "x" * length}, BLOB)))
    with path.open("rb") as file:
        header, blob = map_container(file, path.stat().st_size)
    path.unlink()
    assert header == {"described": "x" * length}
    assert bytes(blob) == BLOB
    assert blob.readonly
    assert np.frombuffer(blob, np.uint8).__array_interface__["data"][0] % ALIGNMENT == 0


def test_every_flipped_byte_of_a_mapped_file_is_found(tmp_path: Path) -> None:
    content = packed()
    for position in range(len(content)):
        path = tmp_path / str(position)
        path.write_bytes(content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :])
        with path.open("rb") as file, pytest.raises(DamagedError):
            map_container(file, len(content))


def test_every_flipped_bit_is_found() -> None:
    content = packed()
    for position in range(len(content)):
        for bit in range(8):
            bad = bytearray(content)
            bad[position] ^= 1 << bit
            with pytest.raises(DamagedError):
                read_container(io.BytesIO(bad), len(bad))


def test_every_truncation_is_found() -> None:
    content = packed()
    for size in range(len(content)):
        with pytest.raises(DamagedError):
            read_container(io.BytesIO(content[:size]), size)
        with pytest.raises(DamagedError):
            read_header(io.BytesIO(content[:size]), size)


def test_bytes_behind_the_end_are_found() -> None:
    content = packed() + b"\0"
    with pytest.raises(DamagedError, match="it has 389 bytes, expected 388"):
        read_container(io.BytesIO(content), len(content))


def test_a_file_that_shrinks_while_it_is_read() -> None:
    content = packed()
    with pytest.raises(DamagedError, match="checksum"):
        read_container(io.BytesIO(content[:-1]), len(content))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "it ends after 0 bytes"),
        (b"\0" * 500, "it does not begin as a kept model does"),
        (packed()[:8] + b"\7\0\0\0" + packed()[12:], "it has version 7 of the format, expected 1"),
        (packed()[:30] + b"#" + packed()[31:], "the header's checksum is wrong"),
        (packed()[:-1] + b"#", "the model's checksum is wrong"),
    ],
)
def test_what_is_wrong_is_said(content: bytes, problem: str) -> None:
    with pytest.raises(DamagedError) as caught:
        read_container(io.BytesIO(content), len(content))
    assert str(caught.value) == problem
