"""Several processes on one cache directory, and directories and disks that refuse."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from lite.cache import CacheDirectory
from tests.lite.cache.region_keys import made_up_key

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

PROLOGUE = """
import os, sys, resource, signal
from pathlib import Path
from lite.cache import CacheDirectory
from tests.lite.cache.region_keys import made_up_key
keys = [made_up_key("npu", ops=str(number)) for number in range(4)]
def blob(number): return bytes([number]) * (100_000 + number)
problems = []
cache = CacheDirectory(Path(sys.argv[1]), on_problem=problems.append)
"""

RACE = """
for round in range(40):
    for number, key in enumerate(keys):
        loaded = cache.load(key)
        assert loaded in (None, blob(number)), "part of an entry"
        assert cache.store(key, blob(number), "region") is None
        if round % 8 == 7 and number == 0:
            for path in cache.directory.glob("*.model"):
                path.unlink(missing_ok=True)
    cache.entries(check=True)
assert problems == [], problems
"""


def start(directory: Path, code: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROLOGUE + textwrap.dedent(code), str(directory)],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def run(directory: Path, code: str) -> str:
    """The output of a process, which must succeed."""
    process = start(directory, code)
    output = process.communicate()[0]
    assert process.returncode == 0, output
    return output


def test_processes_race_on_one_directory(tmp_path: Path) -> None:
    processes = [start(tmp_path / "cache", RACE) for _ in range(3)]
    outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], outputs
    cache = CacheDirectory(tmp_path / "cache")
    assert all(path.name.endswith(".model") for path in cache.directory.iterdir())
    entries = cache.entries(check=True)
    assert [entry.problem for entry in entries] == [None] * len(entries)


def test_processes_race_with_a_limit(tmp_path: Path) -> None:
    code = "cache.limit = 250_000\n" + RACE
    processes = [start(tmp_path / "cache", code) for _ in range(2)]
    outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], outputs
    assert sum(entry.size for entry in CacheDirectory(tmp_path / "cache").entries()) <= 250_000


READ_ONLY = """
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
assert cache.load(keys[0]) == blob(0)
print(cache.store(keys[1], blob(1), "region"))
print(cache.store(keys[0], blob(1), "region"))
assert cache.load(keys[0]) == blob(0)
assert problems == []
"""


def test_a_read_only_directory_serves_its_entries_and_refuses_to_store(open_folder: Path) -> None:
    directory = open_folder / "cache"
    run(directory, "assert cache.store(keys[0], blob(0), 'region') is None")
    # As an administrator does who lets others read.
    for path in directory.iterdir():
        path.chmod(0o644)
    directory.chmod(0o555)
    try:
        output = run(directory, READ_ONLY)
    finally:
        directory.chmod(0o755)
    assert output == f"{directory}: Permission denied\n" * 2


def test_an_unreadable_file_is_a_miss_and_reported(open_folder: Path) -> None:
    run(open_folder, "assert cache.store(keys[0], blob(0), 'region') is None")
    open_folder.chmod(0o755)
    path = CacheDirectory(open_folder).path(made_up_key("npu", ops="0"))
    path.chmod(0)
    code = """
    if os.geteuid() == 0:
        os.setgroups([]); os.setgid(65534); os.setuid(65534)
    print(cache.load(keys[0]), *problems)
    """
    expected = f"None the cached model {path} cannot be used and is built again: Permission denied\n"
    assert run(open_folder, code) == expected


def test_an_entry_above_the_file_size_limit_leaves_no_file(tmp_path: Path) -> None:
    """The process may write small files only."""
    code = """
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
    print(cache.store(keys[0], blob(0), "region"))
    assert cache.load(keys[0]) is None
    assert os.listdir(sys.argv[1]) == []
    assert cache.store(keys[1], b"small", "region") is None
    assert cache.load(keys[1]) == b"small"
    assert problems == []
    """
    assert run(tmp_path / "cache", code) == f"{tmp_path / 'cache'}: File too large\n"


@pytest.mark.skipif(not os.access("/dev/full", os.W_OK), reason="there is no /dev/full here")
def test_a_disk_that_fills_up_during_a_write_is_reported(tmp_path: Path) -> None:
    """The temporary file is on a device that is always full."""
    code = """
    from lite import atomic_file
    real = os.open
    def full(path, flags, mode=0o777, *, dir_fd=None):
        if str(path).endswith(".tmp"):
            os.close(real(path, flags, mode, dir_fd=dir_fd))
            return real("/dev/full", os.O_WRONLY)
        return real(path, flags, mode, dir_fd=dir_fd)
    atomic_file.os.open = full
    print(cache.store(keys[0], blob(0), "region"))
    assert os.listdir(sys.argv[1]) == []
    """
    assert run(tmp_path / "cache", code) == f"{tmp_path / 'cache'}: No space left on device\n"
