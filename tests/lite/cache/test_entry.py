"""The format of entry files: every byte is checked."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from lite.cache import CacheKey, KeyPart
from lite.cache.entry import (
    ALIGNMENT,
    SUFFIX,
    InvalidEntryError,
    inspect_entry,
    map_entry,
    pack_entry,
    read_entry,
)

KEY = CacheKey.of([KeyPart("device", "1", "npu"), KeyPart("ops", "2", "région")])
BLOB = bytes(range(256))


def packed(blob: bytes = BLOB, description: str = "région") -> bytes:
    return b"".join(pack_entry(KEY, blob, description, 1000))


@pytest.mark.parametrize("blob", [b"", b"\0", BLOB, BLOB * 1000])
def test_a_packed_entry_is_read_back(blob: bytes) -> None:
    content = packed(blob)
    key, read = read_entry(io.BytesIO(content), len(content))
    assert (key, read) == (KEY, blob)
    assert [part.text for part in key.parts] == ["npu", "région"]


@pytest.mark.parametrize("check_blob", [False, True])
def test_an_inspected_entry_has_the_fields_it_was_packed_with(tmp_path: Path, check_blob: bool) -> None:
    path = tmp_path / f"{KEY.digest}{SUFFIX}"
    path.write_bytes(packed())
    entry = inspect_entry(path, check_blob=check_blob)
    assert (entry.path, entry.size, entry.last_used) == (path, path.stat().st_size, path.stat().st_mtime)
    assert (entry.key, entry.description, entry.created, entry.problem) == (KEY, "région", 1000.0, None)


@pytest.mark.parametrize("length", range(0, 130, 13))
def test_a_mapped_blob_is_aligned_and_outlives_its_file(tmp_path: Path, length: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(packed(description="x" * length))
    with path.open("rb") as file:
        key, blob = map_entry(file, path.stat().st_size)
    path.unlink()
    assert key == KEY
    assert bytes(blob) == BLOB
    assert blob.readonly
    assert np.frombuffer(blob, np.uint8).__array_interface__["data"][0] % ALIGNMENT == 0


def test_every_flipped_byte_of_a_mapped_file_is_found(tmp_path: Path) -> None:
    content = packed()
    for position in range(len(content)):
        path = tmp_path / str(position)
        path.write_bytes(content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :])
        with path.open("rb") as file, pytest.raises(InvalidEntryError):
            map_entry(file, len(content))


def test_every_flipped_bit_is_found() -> None:
    content = packed()
    for position in range(len(content)):
        for bit in range(8):
            damaged = bytearray(content)
            damaged[position] ^= 1 << bit
            with pytest.raises(InvalidEntryError):
                read_entry(io.BytesIO(damaged), len(damaged))


def test_every_truncation_is_found(tmp_path: Path) -> None:
    content = packed()
    path = tmp_path / f"{KEY.digest}{SUFFIX}"
    for size in range(len(content)):
        with pytest.raises(InvalidEntryError):
            read_entry(io.BytesIO(content[:size]), size)
        path.write_bytes(content[:size])
        assert inspect_entry(path, check_blob=False).problem is not None


def test_a_byte_after_the_end_is_found() -> None:
    content = packed() + b"\0"
    with pytest.raises(InvalidEntryError, match=f"it has {len(content)} bytes, expected {len(content) - 1}"):
        read_entry(io.BytesIO(content), len(content))


def test_a_file_that_shrinks_while_it_is_read_is_found() -> None:
    content = packed()
    with pytest.raises(InvalidEntryError, match="checksum"):
        read_entry(io.BytesIO(content[:-1]), len(content))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "it ends after 0 bytes"),
        (b"\0" * 500, "it does not start like a file of the cache"),
        (packed()[:8] + b"\7\0\0\0" + packed()[12:], "it has version 7 of the format, expected 1"),
        (packed()[:30] + b"#" + packed()[31:], "the header's digest is wrong"),
        (packed()[:-1] + b"#", "the blob's checksum is wrong"),
    ],
)
def test_an_error_says_what_is_wrong(content: bytes, problem: str) -> None:
    with pytest.raises(InvalidEntryError) as caught:
        read_entry(io.BytesIO(content), len(content))
    assert str(caught.value) == problem


def test_a_file_named_after_another_key_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / f"{'0' * 64}{SUFFIX}"
    path.write_bytes(packed())
    assert inspect_entry(path, check_blob=True).problem == "it holds the entry of another key"
