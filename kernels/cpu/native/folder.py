"""The folders that keep machine code, and atomic writes into them."""

from __future__ import annotations

import contextlib
import functools
import os
import tempfile
from pathlib import Path

from lite.atomic_file import write_atomically

CACHE_VARIABLE = "LITEBRIDGE_KERNEL_CACHE"
"""Environment variable: the folder for machine code."""


@functools.cache
def cache_folders() -> tuple[Path, ...]:
    """The folders to search: that in `CACHE_VARIABLE`, else one beside the sources and the user's cache.

    So code that an administrator compiled serves users who cannot write beside the sources.
    """
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return (Path(named),)
    folders = [Path(__file__).parent.parent / "compiled" / "__pycache__"]
    # In a container a user may have no home directory.
    with contextlib.suppress(RuntimeError):
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        folders.append(cache / "litebridge" / "kernels")
    return tuple(folders)


@functools.cache
def writable_folder() -> Path | None:
    """The first of `cache_folders` in which files can be created; None without one."""
    return next(filter(_is_writable, cache_folders()), None)


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def read_kept(name: str) -> list[bytes]:
    """The contents of the files of that name, in the order of the folders."""
    contents = []
    for folder in cache_folders():
        # Usually only one of the folders has the file.
        with contextlib.suppress(OSError):
            contents.append((folder / name).read_bytes())
    return contents


def keep(name: str, content: bytes) -> None:
    """Write a file into the writable folder, readable for all users; does nothing where that fails."""
    folder = writable_folder()
    if folder is None:
        return
    # Without the file, the next process compiles again.
    with contextlib.suppress(OSError):
        write_atomically(folder / name, [content], mode=0o644)
