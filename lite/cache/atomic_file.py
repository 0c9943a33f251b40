"""Files that are there whole or not at all, whoever else writes them at the same time."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import time
from collections.abc import Iterable
from pathlib import Path

TEMPORARY = ".tmp"
"""How the names of unfinished files end; they begin with a dot."""

SWEEP_AGE = 60.0
"""Seconds after which an unfinished file that nobody holds is left over from a process that died."""

_numbers = itertools.count()


def write_atomically(path: Path, chunks: Iterable[bytes | memoryview]) -> None:
    """Let `path` hold these bytes, with the rights that the process gives new files; raises `OSError`.

    They are written beside it, forced to the disk and renamed.  An empty directory in its place goes.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{next(_numbers)}.{time.time_ns():x}{TEMPORARY}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            # The lock tells `sweep` that somebody is still writing; some file systems have none.
            with contextlib.suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_directory(path.parent)


def sweep(directory: Path) -> int:
    """Remove unfinished files that processes left that died; how many that were."""
    return sum(_remove_left_over(path) for path in directory.glob(f".*{TEMPORARY}"))


def _remove_left_over(path: Path) -> bool:
    try:
        if time.time() - path.stat().st_mtime < SWEEP_AGE:
            return False
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
    except OSError:
        return False
    return True


def _sync_directory(directory: Path) -> None:
    """Force the new name to the disk, where the system can; the file itself is there already."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
