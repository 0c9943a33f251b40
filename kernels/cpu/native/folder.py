"""The folders for machine code, and how files get there."""

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
    """Where machine code is looked for: the named folder, or beside the sources and in the user's cache.

    What an administrator compiled beside the sources serves users who cannot write there.
    """
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return (Path(named),)
    folders = [Path(__file__).parent.parent / "compiled" / "__pycache__"]
    # Some users of containers have no home.
    with contextlib.suppress(RuntimeError):
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        folders.append(cache / "litebridge" / "kernels")
    return tuple(folders)


@functools.cache
def writable_folder() -> Path | None:
    """The first of them that files can be written to."""
    return next(filter(_is_writable, cache_folders()), None)


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def read_kept(name: str) -> list[bytes]:
    """The content of the files of that name, in the order of the folders."""
    found = []
    for folder in cache_folders():
        try:
            found.append((folder / name).read_bytes())
        except OSError:
            # Most folders do not have most files.
            continue
    return found


def keep(name: str, content: bytes) -> None:
    """Write a file into the writable folder, readable for all users; does nothing where that fails."""
    folder = writable_folder()
    if folder is None:
        return
    # Without the file, the next process compiles again.
    with contextlib.suppress(OSError):
        write_atomically(folder / name, [content], mode=0o644)
