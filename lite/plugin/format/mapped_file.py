"""Maps the files of a model into memory, or copies them where another process may change them."""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import stat
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

import numpy as np

from lite.ir.types import Array
from lite.plugin.format.regular_file import open_regular

FileContent = bytes | mmap.mmap
"""The content of a file, which cannot be written to."""

MAPPINGS = ("private", "copy")
"""How files are read: "private" maps them, unless every user may write to them; "copy" reads them whole."""

_mapping: ContextVar[str] = ContextVar("mapping", default="private")


@contextlib.contextmanager
def file_mapping(name: str) -> Iterator[None]:
    """Read files as one of `MAPPINGS` says while entered."""
    token = _mapping.set(name)
    try:
        yield
    finally:
        _mapping.reset(token)


def map_regular(path: Path) -> FileContent:
    """The content of a regular file; raises `OSError`, also if it changes while it is copied.

    A page of a mapped file is read when it is first used.  If the file was cut short by then, the system ends
    the process with SIGBUS, and if it was overwritten in place, the content is the new one.  So a file that
    every user may write to is copied.
    """
    with open_regular(path) as file:
        before = os.fstat(file.fileno())
        if before.st_size == 0:
            return b""  # mmap refuses an empty file
        if _mapping.get() == "private" and not before.st_mode & stat.S_IWOTH:
            try:
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except ValueError:
                raise OSError(errno.EIO, "it was emptied while it was opened", str(path)) from None
        content = file.read()
        after = os.fstat(file.fileno())
    if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise OSError(errno.EIO, "it changed while it was read", str(path))
    return content


def release_pages(array: Array) -> None:
    """Take the pages of an array in a mapped file out of memory; the system reads them again when needed.

    Nothing is done for other arrays, nor on Windows, which takes no such advice.
    """
    content = _mapping_of(array)
    if content is None or sys.platform == "win32" or not array.flags.forc:
        return
    begin = _address_of(array) - _address_of(np.frombuffer(content, np.uint8))
    # Whole pages only: its neighbours lie in the others.
    start = -(-begin // mmap.PAGESIZE) * mmap.PAGESIZE
    size = (begin + array.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE - start
    if size > 0:
        with contextlib.suppress(OSError):  # pages that the process has locked stay
            content.madvise(mmap.MADV_DONTNEED, start, size)


def _address_of(array: Array) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def _mapping_of(array: Array) -> mmap.mmap | None:
    """The mapped file that an array lies in; None for other memory."""
    owner: object = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    if isinstance(owner, memoryview):
        owner = owner.obj
    return owner if isinstance(owner, mmap.mmap) else None
