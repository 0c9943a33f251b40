"""Atomic file writing: readers see the old file or the complete new one, never a part of it.

Several processes may write the same file at the same time; the last one to finish wins.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterable
from pathlib import Path

TEMPORARY_SUFFIX = ".tmp"
"""The suffix of temporary files; their names begin with a dot."""

STALE_AGE = 60.0
"""Age in seconds from which an unlocked temporary file counts as left by a process that died."""


def write_atomically(
    path: Path, chunks: Iterable[bytes | memoryview], *, mode: int | None = None, folder: int | None = None
) -> None:
    """Write a file: to a temporary file in the same folder, forced to the disk, and renamed to `path`.

    `mode` is the file's permission bits; by default those that the process gives to new files (its umask).
    `path` is relative to the open folder `folder`, if that is a descriptor.
    Raises `OSError`; the old file is then unchanged and the temporary one removed.
    """
    temporary = path.with_name(f".{os.urandom(8).hex()}{TEMPORARY_SUFFIX}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, 0o666 if mode is None else mode, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            # Keeps `remove_stale_files` off a file in use; some file systems have no locks.
            with contextlib.suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for chunk in chunks:
                file.write(chunk)
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.flush()
            os.fsync(file.fileno())
            os.replace(temporary, path, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
    _sync_folder(path.parent, folder)


def remove_stale_files(folder: Path) -> int:
    """Remove the temporary files in `folder` that dead processes left; returns how many."""
    return sum(_remove_if_stale(path) for path in folder.glob(f".*{TEMPORARY_SUFFIX}"))


def _remove_if_stale(path: Path) -> bool:
    try:
        if time.time() - path.stat().st_mtime < STALE_AGE:
            return False
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
    except OSError:
        return False
    return True


def _sync_folder(path: Path, folder: int | None) -> None:
    """Force the new name to the disk where the system can; the content is there already."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY, dir_fd=folder)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
