"""The hash of sources: kept while the files are the same, and computed again where they or it changed."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import pytest

from lite.kernels.cpu.native.source_key import source_key


@pytest.fixture(autouse=True)
def keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


def sources(folder: Path) -> str:
    """Two files, and the hash of their contents."""
    (folder / "sub").mkdir()
    (folder / "b.py").write_bytes(b"b = 1\n")
    (folder / "sub" / "a.py").write_bytes(b"a = 1\n")
    (folder / "notes.txt").write_bytes(b"no source")
    return hashlib.sha256(b"b = 1\na = 1\n").hexdigest()


def key(folder: Path) -> str:
    source_key.cache_clear()
    return source_key(folder)


def test_a_kept_hash_is_that_of_the_contents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = sources(tmp_path)
    assert key(tmp_path) == expected
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path} was read"))
    assert key(tmp_path) == expected


def test_another_content_size_time_or_name_is_another_hash(tmp_path: Path) -> None:
    found = {sources(tmp_path), key(tmp_path)}
    path = tmp_path / "sub" / "a.py"
    before = path.stat()
    path.write_bytes(b"a = 2\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    found.add(key(tmp_path))
    path.write_bytes(b"a = 20\n")
    found.add(key(tmp_path))
    (tmp_path / "c.py").write_bytes(b"c = 1\n")
    found.add(key(tmp_path))
    assert len(found) == 4


@pytest.mark.parametrize("content", ["", "x", "a b c", "\xff"])
def test_a_damaged_file_is_written_again(tmp_path: Path, content: str) -> None:
    expected = sources(tmp_path)
    key(tmp_path)
    (kept,) = (tmp_path / "__pycache__").iterdir()
    right = kept.read_bytes()
    kept.write_text(content, encoding="latin-1")
    assert key(tmp_path) == expected
    assert kept.read_bytes() == right


def test_a_changed_hash_is_found_by_its_checksum(tmp_path: Path) -> None:
    expected = sources(tmp_path)
    key(tmp_path)
    (kept,) = (tmp_path / "__pycache__").iterdir()
    kept.write_text(kept.read_text().replace(expected, "0" * 64))
    assert key(tmp_path) == expected


def test_nothing_is_written_where_python_writes_no_byte_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    expected = sources(tmp_path)
    assert key(tmp_path) == expected
    assert not (tmp_path / "__pycache__").exists()
