"""Packed weights that are stored for the next process: arrays that kernels prepared from weights."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from lite.cache.array_blob import ArrayWriter, NotCacheableError, pack_blob, unpack_blob
from lite.cache.directory import CacheDirectory
from lite.cache.entry import InvalidEntryError
from lite.cache.key import CacheKey, KeyPart
from lite.ir.types import Array
from lite.plugin.kernel.owned_lock import OwnedLock
from lite.plugin.kernel.pack_version import PACK_VERSIONS

log = logging.getLogger(__name__)

KIND = "weight pack"

SLOW_PACKING = 5e8
"""Bytes per second.  Packing that only copies is two to four times as fast; reading and checking a stored
array is about four times as fast.
"""

STORE_MIN_SECONDS = 2e-4
"""Least time of packing for which its result is stored."""

WRITE_MIN_SECONDS = 2e-3
"""Least total time of packing for which a first file is written."""

REWRITE_MIN_SECONDS = 2e-2
"""Least total time of packing what the file lacks for which it is written again."""


class Packs(Protocol):
    """Packed weights by name."""

    @property
    def needs_write(self) -> bool:
        """Whether `write` should be called at the end of a run."""

    def main_block(self) -> PackedBlock:
        """The packed weights of the plan's own instructions."""

    def find(self, name: str) -> Array | None:
        """The array stored under a name; None if there is none."""

    def add(self, name: str, array: Array, seconds: float) -> None:
        """Add an array that took `seconds` to pack, if it is worth storing."""

    def write(self) -> None:
        """Store all arrays; the next process packs again what cannot be stored."""


class PackedWeights:
    """The packed weights of one plan, by name; safe to use from threads.

    The first read maps all of them into memory.  Only weights that take longer to pack than to read are
    stored: see `is_worth_storing`.
    """

    def __init__(
        self, cache: CacheDirectory, plan: CacheKey, targets: Iterable[str], description: str
    ) -> None:
        self._cache = cache
        self._plan = plan
        self._targets = sorted(set(targets))
        self._description = description
        self._lock = OwnedLock()
        self._key: CacheKey | None = None
        self._arrays: dict[str, Array] | None = None
        self._has_file = False
        self._unwritten_seconds = 0.0
        """Time spent on packing weights that are not in the file yet."""

    @property
    def key(self) -> CacheKey:
        """The key of the entry that holds them."""
        if self._key is None:
            versions = [
                f"{target}: {PACK_VERSIONS.get(target)()}"
                for target in self._targets
                if target in PACK_VERSIONS
            ]
            self._key = CacheKey.of(
                [
                    KeyPart.of("kind", [KIND], KIND),
                    plan_part(self._plan),
                    KeyPart.of("pack_version", versions, ", ".join(versions)),
                ]
            )
        return self._key

    @property
    def needs_write(self) -> bool:
        """Whether enough was packed since the last `write` to write again."""
        return self._unwritten_seconds >= (REWRITE_MIN_SECONDS if self._has_file else WRITE_MIN_SECONDS)

    def main_block(self) -> PackedBlock:
        """The packed weights of the plan's own instructions."""
        return PackedBlock(self)

    def find(self, name: str) -> Array | None:
        """The array stored under a name; None if there is none."""
        with self._lock:
            return self._loaded().get(name)

    def add(self, name: str, array: Array, seconds: float) -> None:
        """Add an array that took `seconds` to pack, if it is worth storing."""
        if is_worth_storing(array.nbytes, seconds):
            with self._lock:
                self._loaded()[name] = array
                self._unwritten_seconds += seconds

    def write(self) -> None:
        """Store all arrays; the next process packs again what cannot be stored."""
        with self._lock:
            self._unwritten_seconds = 0.0
            # Another process may have added arrays for other input shapes.
            arrays = {**self._read(), **self._loaded()}
            self._arrays = arrays
            self._has_file = True
            try:
                problem = self._cache.store(self.key, _pack(arrays), self._description)
            except NotCacheableError as error:
                problem = str(error)
            if problem is not None:
                log.info("packed weights are not stored: %s", problem)

    def _loaded(self) -> dict[str, Array]:
        if self._arrays is None:
            self._arrays = self._read()
        return self._arrays

    def _read(self) -> dict[str, Array]:
        blob = self._cache.load_mapped(self.key)
        if blob is None:
            return {}
        self._has_file = True
        try:
            return _unpack(blob)
        except InvalidEntryError as error:
            self._cache.report(self.key, str(error))
            return {}


class PackedBlock:
    """The packed weights of one block of a plan; the block is part of their names."""

    def __init__(self, weights: Packs, prefix: str = "") -> None:
        self._weights = weights
        self._prefix = prefix

    def sub_block(self, instruction: int, block: int) -> PackedBlock:
        """The packed weights of a sub-block of an instruction."""
        return PackedBlock(self._weights, f"{self._prefix}{instruction}.{block}/")

    def get(self, instruction: int, name: str, make: Callable[[], Array]) -> Array:
        """The array stored for an instruction under `name`, or else the result of `make`."""
        full_name = f"{self._prefix}{instruction} {name}"
        array = self._weights.find(full_name)
        if array is None:
            # Time of this thread: waiting for others or for the disk is no reason to store the array.
            start = time.thread_time()
            array = make()
            self._weights.add(full_name, array, time.thread_time() - start)
        return array


def plan_part(plan: CacheKey) -> KeyPart:
    """The part that a plan contributes to the key of its packed weights."""
    return KeyPart.of("plan", [plan.digest], plan.digest[:12])


def is_worth_storing(size: int, seconds: float) -> bool:
    """Whether reading `size` bytes is faster than packing them again, which takes `seconds`."""
    return seconds >= max(STORE_MIN_SECONDS, size / SLOW_PACKING)


def _pack(arrays: Mapping[str, Array]) -> bytes:
    writer = ArrayWriter()
    return pack_blob({name: writer.add(array) for name, array in arrays.items()}, writer)


def _unpack(blob: memoryview) -> dict[str, Array]:
    numbers, arrays = unpack_blob(blob)
    try:
        return {name: arrays[number] for name, number in numbers.items()}
    except (AttributeError, IndexError, TypeError) as error:
        raise InvalidEntryError(f"it holds no packed weights: {error}") from error
