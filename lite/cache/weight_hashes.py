"""Hashes of weights, remembered so that large files are read once."""

from __future__ import annotations

import hashlib
import logging
import mmap
import os
import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from pathlib import Path

import numpy as np

from lite.cache.checked_json import read_checked_json, write_checked_json
from lite.cache.key import DIGEST_BYTES, digest_of
from lite.cache.mapped_files import FileSlice, MappedFiles, Stamp
from lite.ir.types import Array, DType
from lite.plugin.kernel.owned_lock import OwnedLock

log = logging.getLogger(__name__)

WEIGHT_FILE = "weights.json"
"""The file in the cache's directory that remembers the hashes of slices of files."""

REMEMBER_MIN_BYTES = 1 << 14
"""Size from which looking up the hash of an array is faster than reading the array."""

THREADS_MIN_BYTES = 1 << 26
"""Size in total from which several arrays are hashed at a time."""

SETTLED_NS = 2_000_000_000
"""Age from which the content of a file is remembered: some file systems' clocks are this coarse."""

_BLOCK = 1 << 16
"""Elements of a strided array that are copied at a time."""

SliceHashes = dict[str, tuple[Stamp, dict[tuple[int, int], str]]]
"""By path: the stamp of the file, and the hashes of its slices by offset and size."""


class WeightHashes:
    """Digests of arrays: of dtype, shape and content.

    The digest of an array that shows part of a mapped file is remembered by the file's path, size, times
    and inode; with `directory`, later processes know it, too.  The digest of any other large array is
    remembered while the array lives, if its memory cannot be written to.  With `verify`, every array is
    read each time.  Safe to use from threads.
    """

    def __init__(self, directory: Path | None = None, *, verify: bool = False) -> None:
        self.verify = verify
        self.bytes_read = 0
        """Number of bytes hashed so far."""
        self._path = None if directory is None else directory / WEIGHT_FILE
        self._lock = OwnedLock()
        self._slices: SliceHashes | None = None
        self._living: dict[int, tuple[weakref.ref[Array], str]] = {}

    def digest(self, array: Array) -> str:
        """The digest of one array."""
        return self.digests([array])[0]

    def digests(self, arrays: Sequence[Array]) -> list[str]:
        """The digest of each array, in hexadecimal digits."""
        files = MappedFiles() if any(map(_is_large, arrays)) else None
        slices = [files.find(array) if files and _is_large(array) else None for array in arrays]
        contents = [
            None if self.verify else self._recall(array, place)
            for array, place in zip(arrays, slices, strict=True)
        ]
        missing = [number for number, content in enumerate(contents) if content is None]
        for number, content in zip(missing, self._read([arrays[n] for n in missing]), strict=True):
            contents[number] = content
        self._remember([(arrays[n], slices[n], contents[n] or "") for n in missing])
        return [array_digest(array, content or "") for array, content in zip(arrays, contents, strict=True)]

    def _recall(self, array: Array, place: FileSlice | None) -> str | None:
        if not _is_large(array):
            return None
        with self._lock:
            if place is not None:
                return _find_hash(self._known_slices(), place)
            reference, digest = self._living.get(id(array), (None, None))
            return digest if reference is not None and reference() is array else None

    def _known_slices(self) -> SliceHashes:
        if self._slices is None:
            self._slices = {} if self._path is None else _read_slices(self._path)
        return self._slices

    def _read(self, arrays: Sequence[Array]) -> list[str]:
        total = sum(array.nbytes for array in arrays)
        with self._lock:
            self.bytes_read += total
        if total < THREADS_MIN_BYTES:
            return [content_digest(array) for array in arrays]
        from concurrent.futures import ThreadPoolExecutor  # slow to import, and for large models only

        with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
            return list(pool.map(content_digest, arrays))

    def _remember(self, hashed: Sequence[tuple[Array, FileSlice | None, str]]) -> None:
        slices: dict[FileSlice, str] = {}
        for array, place, digest in hashed:
            if place is not None and _is_settled(place):
                slices[place] = digest
            elif place is None and _is_large(array) and _is_frozen(array):
                self._remember_while_alive(array, digest)
        if not slices:
            return
        with self._lock:
            _add_hashes(self._known_slices(), slices)
            if self._path is None:
                return
            try:
                _write_slices(self._path, self._known_slices())
            except OSError as error:
                log.debug("hashes of weights are not remembered: %s", error)

    def _remember_while_alive(self, array: Array, digest: str) -> None:
        key = id(array)
        self._living[key] = (weakref.ref(array, lambda _: self._living.pop(key, None)), digest)


def content_digest(array: Array) -> str:
    """BLAKE2b over the bytes of the elements in row-major order; over each string of an array of strings.

    Contiguous arrays are not copied, others block by block.
    """
    if array.dtype.kind in "OUS":
        return digest_of(item if isinstance(item, bytes) else str(item) for item in array.reshape(-1))
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    if array.flags.c_contiguous:
        digest.update(array.reshape(-1).view(np.uint8).data)
    else:
        blocks = np.nditer(
            array, flags=["external_loop", "buffered", "zerosize_ok"], order="C", buffersize=_BLOCK
        )
        for block in blocks:
            digest.update(np.ascontiguousarray(block).view(np.uint8).data)
    return digest.hexdigest()


def array_digest(array: Array, content: str) -> str:
    """The digest of an array: of its dtype and shape, and of `content`, the digest of its elements."""
    return digest_of([str(DType.from_numpy(array.dtype)), array.dtype.byteorder, str(array.shape), content])


def _is_large(array: Array) -> bool:
    return array.nbytes >= REMEMBER_MIN_BYTES


def _is_settled(place: FileSlice) -> bool:
    """Whether the file did not change while it was read, and any later change will show in its stamp."""
    return Stamp.of(place.path) == place.stamp and place.stamp.changed_ns < time.time_ns() - SETTLED_NS


def _is_frozen(array: Array) -> bool:
    """Whether the memory of an array cannot be written to through any object."""
    owner: object = array
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            return False
        owner = owner.base
    if isinstance(owner, mmap.mmap | memoryview):
        return memoryview(owner).readonly
    return owner is None or isinstance(owner, bytes)


def _read_slices(path: Path) -> SliceHashes:
    """The hashes in a file; none where it is missing or damaged."""
    try:
        return {
            name: (Stamp(*stamp), {(offset, size): digest for offset, size, digest in digests})
            for name, (stamp, digests) in read_checked_json(path).items()
        }
    except (ValueError, TypeError):
        return {}


def _write_slices(path: Path, slices: SliceHashes) -> None:
    """Add hashes to a file, and drop those of files that changed since; raises `OSError`."""
    merged = _read_slices(path)
    for name, (stamp, digests) in slices.items():
        old_stamp, old = merged.get(name, (stamp, {}))
        merged[name] = (stamp, {**old, **digests} if old_stamp == stamp else digests)
    document = {
        name: [astuple(stamp), [[*place, digest] for place, digest in digests.items()]]
        for name, (stamp, digests) in merged.items()
        if Stamp.of(name) == stamp
    }
    write_checked_json(path, document)


def _find_hash(slices: SliceHashes, place: FileSlice) -> str | None:
    stamp, digests = slices.get(place.path, (None, {}))
    return digests.get((place.offset, place.size)) if stamp == place.stamp else None


def _add_hashes(slices: SliceHashes, new: Mapping[FileSlice, str]) -> None:
    """Add hashes; those of an older state of the same file are dropped."""
    for place, digest in new.items():
        stamp, digests = slices.get(place.path, (place.stamp, {}))
        if stamp != place.stamp:
            digests = {}
        digests[place.offset, place.size] = digest
        slices[place.path] = (place.stamp, digests)
