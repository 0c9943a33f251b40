"""The digest of folders of sources: right after every change, and remembered where nothing changed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lite.cache import source_digest as module
from lite.cache.source_digest import SOURCE_FILE, source_digest


@pytest.fixture(autouse=True)
def _settled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of tests are new, and nobody can set back when they were changed."""
    monkeypatch.setattr(module, "SETTLED_NS", 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "sources"
    for name, text in (("a.py", "a = 1"), ("inner/b.py", "b = 2"), ("tools/c.py", "c = 3")):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text)
    return made


def digest(folder: Path, directory: Path | None = None) -> str:
    return source_digest([folder], directory, without=["tools"])[0]


def rewritten(folder: Path) -> None:
    """With the same size and time."""
    path = folder / "inner" / "b.py"
    found = path.stat()
    path.write_text("b = 7")
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "another text": lambda folder: (folder / "a.py").write_text("a = 10"),
    "another text of the same size and time": rewritten,
    "another file": lambda folder: (folder / "inner" / "d.txt").write_text(""),
    "a file less": lambda folder: (folder / "a.py").unlink(),
    "another name": lambda folder: (folder / "a.py").rename(folder / "z.py"),
    "a folder of that name deeper": lambda folder: shutil.copytree(folder / "tools", folder / "inner/tools"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("verify", [False, True])
def test_every_change_gives_another_digest(folder: Path, tmp_path: Path, change: str, verify: bool) -> None:
    cache = tmp_path / "cache"
    before = digest(folder, cache)
    CHANGES[change](folder)
    after = source_digest([folder], cache, without=["tools"], verify=verify)[0]
    assert after != before
    assert after == digest(folder) == digest(folder, cache)


def test_what_does_not_count(folder: Path) -> None:
    before = source_digest([folder], without=["tools"])
    assert before[1] == 2
    (folder / "tools" / "c.py").write_text("other")
    (folder / "inner" / "__pycache__").mkdir()
    (folder / "inner" / "__pycache__" / "b.pyc").write_bytes(b"x")
    os.utime(folder / "a.py", ns=(1, 1))
    assert source_digest([folder], without=["tools"]) == before


def test_a_copy_has_the_same_digest(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    assert digest(folder) == digest(tmp_path / "copy")


def test_nothing_is_read_twice(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    before = digest(folder, cache)

    read = Path.read_bytes

    def refuse(self: Path) -> bytes:
        if self.suffix == ".py":
            raise AssertionError(f"{self} is read again")
        return read(self)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert digest(folder, cache) == before
    with pytest.raises(AssertionError, match="is read again"):
        source_digest([folder], cache, without=["tools"], verify=True)


def test_what_was_just_written_is_not_remembered(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SETTLED_NS", 3600 * 10**9)
    digest(folder, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("damage", [b"", b"\0" * 50, b"nonsense", b"[]\n[]", None])
def test_a_damaged_memory_is_no_memory(folder: Path, tmp_path: Path, damage: bytes | None) -> None:
    before = digest(folder, tmp_path)
    memory = tmp_path / SOURCE_FILE
    good = memory.read_bytes()
    memory.write_bytes(good.replace(before.encode()[:9], b"0" * 9) if damage is None else damage)
    assert digest(folder, tmp_path) == before
    assert memory.read_bytes() == good


def test_a_memory_that_cannot_be_written(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    assert digest(folder, tmp_path / "file") == digest(folder)
