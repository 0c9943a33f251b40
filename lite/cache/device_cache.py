"""What is kept in a directory, one file each: compiled models of devices, plans, packed weights."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, TypeVar

from lite.cache.atomic_file import TEMPORARY, sweep, write_atomically
from lite.cache.container import DamagedError, Header, map_container, pack, read_container
from lite.cache.entry import (
    SUFFIX,
    Entry,
    header_key,
    make_header,
    open_file,
    problem_text,
    read_entry,
)
from lite.cache.explain_miss import nearest_text
from lite.cache.key import CacheKey
from lite.cache.source_digest import SOURCE_FILE
from lite.cache.weight_file import WEIGHT_FILE

log = logging.getLogger(__name__)

PLANS = "plans"
"""The folder in `Config.cache_dir` for plans and what belongs to them; models of devices lie beside it."""

Blob = TypeVar("Blob", bytes, memoryview)

Problem = Callable[[str], None]
"""Told in a sentence that a kept model cannot be read."""


class DeviceCache:
    """The entries kept in `directory`, which is made when the first is stored.

    With `limit`, those that were not used for the longest time go until the rest has at most so many
    bytes.  Processes and threads may share a directory.  What cannot be read is a miss that `problem`
    (by default: a warning in the log) hears of once, and that the next `store` replaces.
    """

    def __init__(self, directory: Path, *, limit: int | None = None, problem: Problem | None = None) -> None:
        self.directory = Path(directory)
        self.limit = limit
        self._problem = problem or (lambda sentence: log.warning("%s", sentence))
        self._lock = threading.Lock()
        self._damaged: dict[str, str] = {}
        self._swept = False

    def path(self, key: CacheKey) -> Path:
        """Where the entry of a key is kept."""
        return self.directory / f"{key.digest}{SUFFIX}"

    def load(self, key: CacheKey) -> bytes | None:
        """The model that was stored for `key`; None for a miss."""
        return self._load(key, read_container)

    def load_mapped(self, key: CacheKey) -> memoryview | None:
        """As `load`, mapped into memory; it begins at a multiple of `container.ALIGNMENT`."""
        return self._load(key, map_container)

    def _load(self, key: CacheKey, read: Callable[[BinaryIO, int], tuple[Header, Blob]]) -> Blob | None:
        path = self.path(key)
        try:
            file, size = open_file(path)
            with file:
                header, blob = read(file, size)
                if header_key(header) != key:
                    raise DamagedError("it holds the model of another key")
                # Whoever may read a model may be kept from touching it; it then only looks older.
                with contextlib.suppress(OSError):
                    os.utime(file.fileno())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, DamagedError) as error:
            self.report(key, problem_text(error))
            return None
        with self._lock:
            self._damaged.pop(path.name, None)
        return blob

    def store(self, key: CacheKey, blob: bytes | memoryview, described: str) -> str | None:
        """Keep a model, `described` for people; a sentence when it cannot be kept."""
        path = self.path(key)
        chunks = pack(make_header(key, described, int(time.time())), blob)
        size = sum(memoryview(chunk).nbytes for chunk in chunks)
        if self.limit is not None and size > self.limit:
            return (
                f"{self.directory}: the {key.kind} has {size} bytes, the limit of the cache is {self.limit}"
            )
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            self._sweep_once()
            write_atomically(path, chunks)
        except OSError as error:
            return f"{self.directory}: {problem_text(error)}"
        with self._lock:
            self._damaged.pop(path.name, None)
        self._evict(path)
        return None

    def explain(self, key: CacheKey) -> str:
        """``hit``, ``no entry yet``, what is wrong with the entry, or how the nearest one differs."""
        path = self.path(key)
        problem = self._damaged.get(path.name)
        if problem is None:
            with contextlib.suppress(OSError):
                problem = read_entry(path, whole=False).problem
                if problem is None:
                    return "hit"
        if problem is not None:
            return f"the entry is damaged: {problem}"
        return nearest_text(key, self.entries())

    def entries(self, *, check: bool = False) -> list[Entry]:
        """All that is kept, last used first; with `check`, every model is read to see if it is intact."""
        found = []
        with contextlib.suppress(OSError):
            for path in sorted(self.directory.glob(f"*{SUFFIX}")):
                with contextlib.suppress(OSError):
                    found.append(read_entry(path, whole=check))
        return sorted(found, key=lambda entry: -entry.used)

    def clear(self) -> int:
        """Remove all that the cache keeps, and nothing else; how many entries that were.

        Raises `OSError` when one cannot be removed.
        """
        models = [path for path in self.directory.glob(f"*{SUFFIX}") if not path.is_dir()]
        notes = [self.directory / name for name in (WEIGHT_FILE, SOURCE_FILE)]
        for path in [*models, *notes, *self.directory.glob(f".*{TEMPORARY}")]:
            path.unlink(missing_ok=True)
        return len(models)

    def drop(self, entry: Entry) -> None:
        """Remove an entry that nobody will ask for again, if that can be done."""
        with contextlib.suppress(OSError):
            entry.path.unlink()

    def report(self, key: CacheKey, problem: str) -> None:
        """Say, once, that the entry of a key cannot be used."""
        path = self.path(key)
        with self._lock:
            known = self._damaged.get(path.name) == problem
            self._damaged[path.name] = problem
        if not known:
            self._problem(f"the kept {key.kind} {path} cannot be used and is built anew: {problem}")

    def _sweep_once(self) -> None:
        if not self._swept:
            self._swept = True
            sweep(self.directory)

    def _evict(self, newest: Path) -> None:
        if self.limit is None:
            return
        kept = self.entries()
        total = sum(entry.size for entry in kept)
        for entry in reversed(kept):
            if total <= self.limit:
                return
            if entry.path != newest:
                with contextlib.suppress(OSError):
                    entry.path.unlink()
                    total -= entry.size
