"""One kept model, as its file describes it."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from lite.cache.container import DamagedError, Header, read_container, read_header
from lite.cache.key import CacheKey, KeyPart

SUFFIX = ".model"
"""How the names of kept models end; they begin with the digest of the key."""


@dataclass(frozen=True)
class Entry:
    """A file of the cache.

    `created` and `used` (when it was last stored or loaded) are seconds since 1970.  `problem` says
    what is wrong with the file; `key` is None when not even its header can be read.
    """

    path: Path
    size: int
    used: float
    key: CacheKey | None = None
    described: str = ""
    created: float = 0.0
    problem: str | None = None


def open_file(path: Path) -> tuple[BinaryIO, int]:
    """A file for reading, and its size; raises `OSError`, and `DamagedError` for what is no file."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    file = os.fdopen(descriptor, "rb") if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
    if file is None:
        os.close(descriptor)
        raise DamagedError("it is no file")
    return file, os.fstat(descriptor).st_size


def read_entry(path: Path, *, whole: bool) -> Entry:
    """What a file says of itself, and with `whole` also whether its model is intact.

    Raises `OSError` when it is gone.
    """
    found = path.stat()
    entry = Entry(path, found.st_size, found.st_mtime)
    try:
        file, size = open_file(path)
        with file:
            header = read_container(file, size)[0] if whole else read_header(file, size)
        return _described(entry, header)
    except FileNotFoundError:
        raise
    except (OSError, DamagedError) as error:
        return Entry(path, entry.size, entry.used, problem=problem_text(error))


def make_header(key: CacheKey, described: str, created: int) -> Header:
    """The header of a kept model."""
    return {
        "described": described,
        "created": created,
        "key": [[part.name, part.digest, part.shown] for part in key.parts],
    }


def header_key(header: Header) -> CacheKey:
    """The key in a header; raises `DamagedError` when there is none."""
    parts = header.get("key")
    try:
        return CacheKey.of(KeyPart(str(name), str(digest), str(shown)) for name, digest, shown in parts)  # type: ignore[attr-defined]
    except (TypeError, ValueError) as error:
        raise DamagedError(f"the header has no key: {error}") from error


def problem_text(error: OSError | DamagedError) -> str:
    """An error without the path, which whoever reads this knows."""
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


def _described(entry: Entry, header: Header) -> Entry:
    key = header_key(header)
    created = header.get("created")
    named = f"{key.digest}{SUFFIX}" == entry.path.name
    return Entry(
        entry.path,
        entry.size,
        entry.used,
        key,
        str(header.get("described", "")),
        float(created) if isinstance(created, int | float) else 0.0,
        None if named else "it holds the model of another key",
    )
