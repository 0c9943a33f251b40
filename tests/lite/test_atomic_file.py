"""Atomic file writing: a file is written completely or not at all."""

from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lite import atomic_file
from lite.atomic_file import remove_stale_files, write_atomically

OLD = time.time() - 3600


def temporary_file(directory: Path, name: str = ".a.tmp", changed: float = OLD) -> Path:
    path = directory / name
    path.write_bytes(b"half")
    os.utime(path, (changed, changed))
    return path


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    for content in (b"one", b"", b"another"):
        write_atomically(tmp_path / "a", [content[:2], memoryview(content[2:])])
        assert (tmp_path / "a").read_bytes() == content
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_the_mode_follows_the_umask_by_default(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        write_atomically(tmp_path / "a", [b"x"])
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


def test_a_mode_overrides_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        write_atomically(tmp_path / "a", [b"x"], mode=0o644)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o644


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    def chunks() -> object:
        yield b"half"
        raise OSError("the disk failed")

    write_atomically(tmp_path / "a", [b"old"])
    with pytest.raises(OSError, match="the disk failed"):
        write_atomically(tmp_path / "a", chunks())  # type: ignore[arg-type]
    assert os.listdir(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_a_reader_of_the_old_file_is_not_disturbed(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a", [b"old"])
    with (tmp_path / "a").open("rb") as reader:
        write_atomically(tmp_path / "a", [b"new content"])
        assert reader.read() == b"old"


def test_a_directory_in_place_of_the_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(IsADirectoryError):
        write_atomically(tmp_path / "a", [b"x"])
    assert os.listdir(tmp_path) == ["a"]


def test_the_temporary_file_of_a_killed_process_is_removed_when_it_is_old(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path\n"
        "from lite.atomic_file import write_atomically\n"
        "def chunks():\n    yield b'half'\n    os.kill(os.getpid(), 9)\n"
        "write_atomically(Path(sys.argv[1]) / 'a', chunks())\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], env=env, check=False)
    assert done.returncode == -9
    (name,) = os.listdir(tmp_path)
    assert name.startswith(".")
    assert name.endswith(".tmp")
    assert remove_stale_files(tmp_path) == 0
    os.utime(tmp_path / name, (OLD, OLD))
    assert remove_stale_files(tmp_path) == 1
    assert os.listdir(tmp_path) == []


def test_a_locked_temporary_file_is_not_removed(tmp_path: Path) -> None:
    path = temporary_file(tmp_path)
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert remove_stale_files(tmp_path) == 0
    assert remove_stale_files(tmp_path) == 1


def test_a_file_is_locked_while_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic_file, "STALE_AGE", -1.0)
    removed: list[int] = []

    def chunks() -> object:
        yield b"half"
        removed.append(remove_stale_files(tmp_path))
        yield b"whole"

    write_atomically(tmp_path / "a", chunks())  # type: ignore[arg-type]
    assert removed == [0]
    assert (tmp_path / "a").read_bytes() == b"halfwhole"


def test_files_of_other_names_and_new_ones_are_not_removed(tmp_path: Path) -> None:
    temporary_file(tmp_path, "a.tmp")
    temporary_file(tmp_path, ".a.model")
    temporary_file(tmp_path, ".new.tmp", time.time())
    assert remove_stale_files(tmp_path) == 0
    assert len(os.listdir(tmp_path)) == 3


def test_a_missing_directory_is_an_error_for_writing_only(tmp_path: Path) -> None:
    assert remove_stale_files(tmp_path / "none") == 0
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "none" / "a", [b""])
