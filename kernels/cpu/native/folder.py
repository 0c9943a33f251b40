"""The folders that keep machine code, and signed files in them."""

from __future__ import annotations

import contextlib
import functools
import os
from pathlib import Path

from lite.kernels.cpu.checked import IS_CHECKED
from lite.plugin.code_signature import content_of, signed
from lite.trusted_folder import TrustedFolder, private_folder, trusted_or_private, uses_environment

CACHE_VARIABLE = "LITEBRIDGE_KERNEL_CACHE"
"""Environment variable: the folder for machine code."""

_BESIDE_SOURCES = Path(__file__).parent.parent.joinpath("compiled", "__pycache__", *["checked"] * IS_CHECKED)


@functools.cache
def cache_folders() -> tuple[Path, ...]:
    """The folders to search: that in `CACHE_VARIABLE`, else one beside the sources; and the user's cache.

    The user's cache is left out where the named folder can be written to.  So code that an administrator
    compiled serves users who cannot write there.  A named folder that other users may write to is replaced
    by a private one.  In checked mode only the named folder is the same.
    """
    named = os.environ.get(CACHE_VARIABLE) if uses_environment() else None
    first = trusted_or_private(Path(named).absolute()) if named else _BESIDE_SOURCES
    own = private_folder()
    if own is None or (named and _is_writable(first)):
        return (first,)
    return first, own / ("kernels-checked" if IS_CHECKED else "kernels")


@functools.cache
def writable_folder() -> Path | None:
    """The first of `cache_folders` in which files can be created; None without one."""
    return next(filter(_is_writable, cache_folders()), None)


def _is_writable(path: Path) -> bool:
    # Code beside the sources serves all users.
    mode = 0o755 if path == _BESIDE_SOURCES else 0o700
    with contextlib.suppress(OSError), TrustedFolder(path, create=True, mode=mode) as folder:
        return folder.is_writable
    return False


def read_kept(name: str) -> list[bytes]:
    """The contents of the files of that name, in the order of the folders, if they are trusted and intact."""
    contents = []
    for path in cache_folders():
        # Usually only one of the folders has the file.
        with contextlib.suppress(OSError), TrustedFolder(path) as folder:
            content = content_of(name, *folder.read(name))
            if content is not None:
                contents.append(content)
    return contents


def keep(name: str, content: bytes) -> None:
    """Write a file into the writable folder, for all users who can read there.

    Does nothing where that fails.
    """
    path = writable_folder()
    if path is None:
        return
    # Without the file, the next process compiles again.
    with contextlib.suppress(OSError), TrustedFolder(path) as folder:
        folder.write(name, [signed(name, content)], mode=0o600 | folder.permissions & 0o044)
