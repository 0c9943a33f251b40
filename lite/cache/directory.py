"""The directory of a cache: finds entries by key, stores and evicts them, and explains misses."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, TypeVar

from lite.atomic_file import TEMPORARY_SUFFIX, remove_stale_files
from lite.cache.entry import (
    SUFFIX,
    Entry,
    InvalidEntryError,
    error_text,
    inspect_entry,
    map_entry,
    open_entry,
    pack_entry,
    read_entry,
)
from lite.cache.key import CacheKey, explain_miss
from lite.cache.source_digest import SOURCE_FILE
from lite.cache.weight_hashes import WEIGHT_FILE
from lite.plugin.kernel.owned_lock import OwnedLock
from lite.trusted_folder import TrustedFolder

log = logging.getLogger(__name__)

PLANS = "plans"
"""The folder in `Config.cache_dir` for plans and packed weights; device models lie beside it."""

Blob = TypeVar("Blob", bytes, memoryview)

OnProblem = Callable[[str], None]
"""Receives a sentence for each entry that cannot be read."""


class CacheDirectory:
    """The entries in `directory`, which is created when the first one is stored, for this user alone.

    With `limit` (bytes), the least recently used entries are removed until the rest fits.  Processes and
    threads may share a directory.  An entry that cannot be read is a miss: `on_problem` (by default a
    warning in the log) is called once, and the next `store` replaces it.
    """

    def __init__(
        self, directory: Path, *, limit: int | None = None, on_problem: OnProblem | None = None
    ) -> None:
        self.directory = Path(directory)
        self.limit = limit
        self._on_problem = on_problem or (lambda sentence: log.warning("%s", sentence))
        self._lock = OwnedLock()
        self._problems: dict[str, str] = {}
        self._removed_stale_files = False

    def path(self, key: CacheKey) -> Path:
        """The file of a key's entry."""
        return self.directory / f"{key.digest}{SUFFIX}"

    def load(self, key: CacheKey) -> bytes | None:
        """The blob that was stored for `key`; None for a miss."""
        return self._load(key, read_entry)

    def load_mapped(self, key: CacheKey) -> memoryview | None:
        """As `load`, but the blob is mapped into memory, at a multiple of `entry.ALIGNMENT`."""
        return self._load(key, map_entry)

    def _load(self, key: CacheKey, read: Callable[[BinaryIO, int], tuple[CacheKey, Blob]]) -> Blob | None:
        path = self.path(key)
        try:
            file, size = open_entry(path)
            with file:
                stored_key, blob = read(file, size)
                if stored_key != key:
                    raise InvalidEntryError("it holds the entry of another key")
                # A process that may only read the entry cannot update its time; the entry then looks older.
                with contextlib.suppress(OSError):
                    os.utime(file.fileno())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, InvalidEntryError) as error:
            self.report(key, error_text(error))
            return None
        with self._lock:
            self._problems.pop(path.name, None)
        return blob

    def store(self, key: CacheKey, blob: bytes | memoryview, description: str) -> str | None:
        """Store an entry, with a `description` for people; returns why it cannot be stored, or None."""
        path = self.path(key)
        chunks = pack_entry(key, blob, description, int(time.time()))
        size = sum(memoryview(chunk).nbytes for chunk in chunks)
        if self.limit is not None and size > self.limit:
            return (
                f"{self.directory}: the {key.kind} has {size} bytes, the limit of the cache is {self.limit}"
            )
        try:
            with TrustedFolder(self.directory, create=True) as folder:
                self._remove_stale_files()
                folder.remove_folder(path.name)
                folder.write(path.name, chunks)
        except OSError as error:
            return f"{self.directory}: {error_text(error)}"
        with self._lock:
            self._problems.pop(path.name, None)
        self._evict(path)
        return None

    def explain(self, key: CacheKey) -> str:
        """``hit``, or why a load misses: a damaged entry, or the parts in which the nearest key differs."""
        path = self.path(key)
        problem = self._problems.get(path.name)
        if problem is None:
            with contextlib.suppress(OSError):
                problem = inspect_entry(path, check_blob=False).problem
                if problem is None:
                    return "hit"
        if problem is not None:
            return f"the entry is damaged: {problem}"
        entries = self.entries()
        return explain_miss(key, [entry.key for entry in entries if entry.key and entry.problem is None])

    def entries(self, *, check: bool = False) -> list[Entry]:
        """All entries, last used first; with `check`, the checksum of every blob is compared, too."""
        entries = []
        with contextlib.suppress(OSError):
            for path in sorted(self.directory.glob(f"*{SUFFIX}")):
                with contextlib.suppress(OSError):
                    entries.append(inspect_entry(path, check_blob=check))
        return sorted(entries, key=lambda entry: -entry.last_used)

    def clear(self) -> int:
        """Remove every file of the cache, and no other; returns the number of entries.

        Raises `OSError` when one cannot be removed.
        """
        entries = [path for path in self.directory.glob(f"*{SUFFIX}") if not path.is_dir()]
        digests = [self.directory / name for name in (WEIGHT_FILE, SOURCE_FILE)]
        for path in [*entries, *digests, *self.directory.glob(f".*{TEMPORARY_SUFFIX}")]:
            path.unlink(missing_ok=True)
        return len(entries)

    def drop(self, entry: Entry) -> None:
        """Remove an entry that no process will ask for again, if that is possible."""
        with contextlib.suppress(OSError):
            entry.path.unlink()

    def report(self, key: CacheKey, problem: str) -> None:
        """Report, once, that the entry of a key cannot be used."""
        path = self.path(key)
        with self._lock:
            is_reported = self._problems.get(path.name) == problem
            self._problems[path.name] = problem
        if not is_reported:
            self._on_problem(f"the cached {key.kind} {path} cannot be used and is built again: {problem}")

    def _remove_stale_files(self) -> None:
        if not self._removed_stale_files:
            self._removed_stale_files = True
            remove_stale_files(self.directory)

    def _evict(self, newest: Path) -> None:
        if self.limit is None:
            return
        entries = self.entries()
        total = sum(entry.size for entry in entries)
        for entry in reversed(entries):
            if total <= self.limit:
                return
            if entry.path != newest:
                with contextlib.suppress(OSError):
                    entry.path.unlink()
                    total -= entry.size
