"""Files that are written whole or not at all."""

from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lite.cache import atomic_file
from lite.cache.atomic_file import sweep, write_atomically

OLD = time.time() - 3600


def left_over(directory: Path, name: str = ".a.tmp", changed: float = OLD) -> Path:
    path = directory / name
    path.write_bytes(b"half")
    os.utime(path, (changed, changed))
    return path


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    for content in (b"one", b"", b"another"):
        write_atomically(tmp_path / "a", [content[:2], memoryview(content[2:])])
        assert (tmp_path / "a").read_bytes() == content
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize(("umask", "rights"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_the_umask_is_respected(tmp_path: Path, umask: int, rights: int) -> None:
    before = os.umask(umask)
    try:
        write_atomically(tmp_path / "a", [b"x"])
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == rights


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    def chunks() -> object:
        yield b"half"
        raise OSError("the disk is gone")

    write_atomically(tmp_path / "a", [b"old"])
    with pytest.raises(OSError, match="the disk is gone"):
        write_atomically(tmp_path / "a", chunks())  # type: ignore[arg-type]
    assert os.listdir(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_a_reader_sees_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a", [b"old"])
    with (tmp_path / "a").open("rb") as reader:
        write_atomically(tmp_path / "a", [b"new content"])
        assert reader.read() == b"old"


def test_an_empty_directory_in_its_place_goes_a_full_one_stays(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    write_atomically(tmp_path / "a", [b"x"])
    assert (tmp_path / "a").read_bytes() == b"x"
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "precious").write_text("")
    with pytest.raises(OSError, match="not empty"):
        write_atomically(tmp_path / "b", [b"x"])
    assert (tmp_path / "b" / "precious").exists()
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_what_a_killed_process_left_is_swept(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path\n"
        "from lite.cache.atomic_file import write_atomically\n"
        "def chunks():\n    yield b'half'\n    os.kill(os.getpid(), 9)\n"
        "write_atomically(Path(sys.argv[1]) / 'a', chunks())\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], env=env, check=False)
    assert done.returncode == -9
    (name,) = os.listdir(tmp_path)
    assert name.startswith(".a.")
    assert sweep(tmp_path) == 0
    os.utime(tmp_path / name, (OLD, OLD))
    assert sweep(tmp_path) == 1
    assert os.listdir(tmp_path) == []


def test_what_somebody_is_still_writing_stays(tmp_path: Path) -> None:
    path = left_over(tmp_path)
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert sweep(tmp_path) == 0
    assert sweep(tmp_path) == 1


def test_a_file_is_held_while_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic_file, "SWEEP_AGE", -1.0)
    swept: list[int] = []

    def chunks() -> object:
        yield b"half"
        swept.append(sweep(tmp_path))
        yield b"whole"

    write_atomically(tmp_path / "a", chunks())  # type: ignore[arg-type]
    assert swept == [0]
    assert (tmp_path / "a").read_bytes() == b"halfwhole"


def test_only_our_own_files_are_swept(tmp_path: Path) -> None:
    left_over(tmp_path, "a.tmp")
    left_over(tmp_path, ".a.model")
    left_over(tmp_path, ".new.tmp", time.time())
    assert sweep(tmp_path) == 0
    assert len(os.listdir(tmp_path)) == 3


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    assert sweep(tmp_path / "none") == 0
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "none" / "a", [b""])
