"""The digest of source folders: right after every change, and remembered while nothing changes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lite.cache import source_digest
from lite.cache.source_digest import SOURCE_FILE, folders_digest


@pytest.fixture(autouse=True)
def _settled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remember new files, too: the change time of a file cannot be set back."""
    monkeypatch.setattr(source_digest, "SETTLED_NS", 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "sources"
    for name, text in (("a.py", "a = 1"), ("inner/b.py", "b = 2"), ("tools/c.py", "c = 3")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def digest(folder: Path, directory: Path | None = None) -> str:
    return folders_digest([folder], directory, without=["tools"])[0]


def rewrite(folder: Path) -> None:
    """Change the text of a file, but not its size and time."""
    path = folder / "inner" / "b.py"
    status = path.stat()
    path.write_text("b = 7")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "another text": lambda folder: (folder / "a.py").write_text("a = 10"),
    "another text of the same size and time": rewrite,
    "another file": lambda folder: (folder / "inner" / "d.txt").write_text(""),
    "a removed file": lambda folder: (folder / "a.py").unlink(),
    "another name": lambda folder: (folder / "a.py").rename(folder / "z.py"),
    "an excluded name deeper down": lambda folder: shutil.copytree(folder / "tools", folder / "inner/tools"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("verify", [False, True])
def test_every_change_gives_another_digest(folder: Path, tmp_path: Path, change: str, verify: bool) -> None:
    cache = tmp_path / "cache"
    before = digest(folder, cache)
    CHANGES[change](folder)
    after = folders_digest([folder], cache, without=["tools"], verify=verify)[0]
    assert after != before
    assert after == digest(folder) == digest(folder, cache)


def test_times_bytecode_and_excluded_folders_do_not_change_the_digest(folder: Path) -> None:
    before = folders_digest([folder], without=["tools"])
    assert before[1] == 2
    (folder / "tools" / "c.py").write_text("other")
    (folder / "inner" / "__pycache__").mkdir()
    (folder / "inner" / "__pycache__" / "b.pyc").write_bytes(b"x")
    os.utime(folder / "a.py", ns=(1, 1))
    assert folders_digest([folder], without=["tools"]) == before


def test_a_copy_has_the_same_digest(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    assert digest(folder) == digest(tmp_path / "copy")


def test_unchanged_files_are_read_once_unless_verified(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
        folders_digest([folder], cache, without=["tools"], verify=True)


def test_the_digest_of_files_just_written_is_not_remembered(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_digest, "SETTLED_NS", 3600 * 10**9)
    digest(folder, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("damage", [b"", b"\0" * 50, b"nonsense", b"[]\n[]", None])
def test_a_damaged_memory_is_ignored_and_replaced(folder: Path, tmp_path: Path, damage: bytes | None) -> None:
    before = digest(folder, tmp_path)
    memory = tmp_path / SOURCE_FILE
    good = memory.read_bytes()
    memory.write_bytes(good.replace(before.encode()[:9], b"0" * 9) if damage is None else damage)
    assert digest(folder, tmp_path) == before
    assert memory.read_bytes() == good


def test_a_memory_that_cannot_be_written_does_not_change_the_digest(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    assert digest(folder, tmp_path / "file") == digest(folder)
