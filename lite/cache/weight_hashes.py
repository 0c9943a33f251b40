"""Hashes of weights, remembered so that large files are read once."""

from __future__ import annotations

import logging
import mmap
import os
import threading
import time
import weakref
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lite.cache.array_content import array_digest, content_digest
from lite.cache.mapped_files import MappedFiles, Slice, Stamp
from lite.cache.weight_file import WEIGHT_FILE, Known, digest_at, enter, read_known, write_known
from lite.ir.types import Array

log = logging.getLogger(__name__)

WORTH_REMEMBERING = 1 << 14
"""Bytes below which reading an array is quicker than looking it up."""

WORTH_THREADS = 1 << 26
"""Bytes from which several arrays are hashed at a time."""

SETTLED_NS = 2_000_000_000
"""How long ago a file must have been changed to be remembered: clocks of file systems are that coarse."""


class WeightHashes:
    """Digests of arrays: of element type, shape and content.

    An array that shows part of a file mapped into memory is known by the file's path, size, times and
    inode; with `directory`, the next process knows it, too.  Any other is known while it lives, unless
    somebody could write to it.  `verify` trusts none of this and always reads the arrays.  Safe to use
    from threads.
    """

    def __init__(self, directory: Path | None = None, *, verify: bool = False) -> None:
        self.verify = verify
        self.bytes_read = 0
        """How many bytes were hashed so far."""
        self._path = None if directory is None else directory / WEIGHT_FILE
        self._lock = threading.Lock()
        self._known: Known | None = None
        self._living: dict[int, tuple[weakref.ref[Array], str]] = {}

    def digest(self, array: Array) -> str:
        """The digest of one array."""
        return self.digests([array])[0]

    def digests(self, arrays: Sequence[Array]) -> list[str]:
        """The digest of each array, in hexadecimal digits."""
        large = any(array.nbytes >= WORTH_REMEMBERING for array in arrays)
        files = MappedFiles() if large else None
        places = [files.find(array) if files and _is_large(array) else None for array in arrays]
        contents = [
            None if self.verify else self._remembered(array, place)
            for array, place in zip(arrays, places, strict=True)
        ]
        missing = [number for number, content in enumerate(contents) if content is None]
        for number, content in zip(missing, self._read([arrays[n] for n in missing]), strict=True):
            contents[number] = content
        self._remember([(arrays[n], places[n], contents[n] or "") for n in missing])
        return [array_digest(array, content or "") for array, content in zip(arrays, contents, strict=True)]

    def _remembered(self, array: Array, place: Slice | None) -> str | None:
        if not _is_large(array):
            return None
        with self._lock:
            if place is not None:
                return digest_at(self._files(), place)
            reference, digest = self._living.get(id(array), (None, None))
            return digest if reference is not None and reference() is array else None

    def _files(self) -> Known:
        if self._known is None:
            self._known = {} if self._path is None else read_known(self._path)
        return self._known

    def _read(self, arrays: Sequence[Array]) -> list[str]:
        total = sum(array.nbytes for array in arrays)
        with self._lock:
            self.bytes_read += total
        if total < WORTH_THREADS:
            return [content_digest(array) for array in arrays]
        from concurrent.futures import ThreadPoolExecutor  # for large models only: it takes long to import

        with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
            return list(pool.map(content_digest, arrays))

    def _remember(self, read: Sequence[tuple[Array, Slice | None, str]]) -> None:
        found: dict[Slice, str] = {}
        for array, place, digest in read:
            if place is not None and _is_settled(place):
                found[place] = digest
            elif place is None and _is_large(array) and _is_frozen(array):
                self._keep(array, digest)
        if not found:
            return
        with self._lock:
            enter(self._files(), found)
            if self._path is None:
                return
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                write_known(self._path, self._files())
            except OSError as error:
                log.debug("hashes of weights are not remembered: %s", error)

    def _keep(self, array: Array, digest: str) -> None:
        key = id(array)
        self._living[key] = (weakref.ref(array, lambda _: self._living.pop(key, None)), digest)


def _is_large(array: Array) -> bool:
    return array.nbytes >= WORTH_REMEMBERING


def _is_settled(place: Slice) -> bool:
    """Whether the file is still as it was before it was read, and will look different when it changes."""
    return Stamp.of(place.path) == place.stamp and place.stamp.changed_ns < time.time_ns() - SETTLED_NS


def _is_frozen(array: Array) -> bool:
    """Whether nobody can write to the memory of an array."""
    owner: object = array
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            return False
        owner = owner.base
    if isinstance(owner, mmap.mmap | memoryview):
        return memoryview(owner).readonly
    return owner is None or isinstance(owner, bytes)
