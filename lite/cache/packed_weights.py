"""What kernels prepared of weights, kept for the next process."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping

from lite.cache.array_table import ArrayWriter, NotKeptError, read_arrays
from lite.cache.device_cache import DeviceCache
from lite.cache.document import joined, parted
from lite.cache.key import CacheKey, KeyPart
from lite.ir.types import Array
from lite.plugin.kernel.pack_version import PACK_VERSIONS

log = logging.getLogger(__name__)

KIND = "weight pack"

SLOW_PACKING = 5e8
"""Bytes a second.  Packing that only copies does two to four times as many; what is kept is checked at some
four times the speed of that.
"""

WORTH_KEEPING = 2e-4
"""Seconds that pack_version must take at least for its result to be kept."""

WORTH_WRITING = 2e-3
"""Seconds that pack_version must have taken in all for a first file to be written."""

WORTH_REWRITING = 2e-2
"""Seconds that must have been spent on what the file lacks for it to be written again."""


class PackedWeights:
    """The packed weights of one plan, by names; safe to use from threads.

    They are mapped into memory, all at once, when the first is asked for.  Only what takes longer to pack
    than to read is kept: see `is_worth_keeping`.
    """

    def __init__(self, cache: DeviceCache, plan: CacheKey, targets: Iterable[str], described: str) -> None:
        self._cache = cache
        self._plan = plan
        self._targets = sorted(set(targets))
        self._described = described
        self._lock = threading.Lock()
        self._key: CacheKey | None = None
        self._arrays: dict[str, Array] | None = None
        self._is_kept = False
        """Whether there is a file."""
        self._unwritten = 0.0
        """Seconds that were spent on what is not kept yet."""

    @property
    def key(self) -> CacheKey:
        """The key of the file that they are kept in."""
        if self._key is None:
            pack_version = [
                f"{target}: {PACK_VERSIONS.get(target)()}"
                for target in self._targets
                if target in PACK_VERSIONS
            ]
            self._key = CacheKey.of(
                [
                    KeyPart.of("kind", [KIND], KIND),
                    plan_part(self._plan),
                    KeyPart.of("pack_version", pack_version, ", ".join(pack_version)),
                ]
            )
        return self._key

    @property
    def is_unwritten(self) -> bool:
        """Whether `write` has something to do."""
        return self._unwritten >= (WORTH_REWRITING if self._is_kept else WORTH_WRITING)

    def of_block(self, within: str = "") -> Packs:
        """Those of the plan itself, or of a block in it."""
        return Packs(self, within)

    def find(self, name: str) -> Array | None:
        """What is kept under a name; None when nothing is."""
        with self._lock:
            return self._known().get(name)

    def enter(self, name: str, array: Array, seconds: float) -> None:
        """Note what was packed just now and how long that took."""
        if is_worth_keeping(array.nbytes, seconds):
            with self._lock:
                self._known()[name] = array
                self._unwritten += seconds

    def write(self) -> None:
        """Write what is not kept yet, with all else that is; what cannot be written is made again."""
        with self._lock:
            self._unwritten = 0.0
            # Another process may have come across other input shapes.
            arrays = {**self._read(), **self._known()}
            self._arrays = arrays
            self._is_kept = True
            try:
                problem = self._cache.store(self.key, _packed(arrays), self._described)
            except NotKeptError as error:
                problem = str(error)
            if problem is not None:
                log.info("packed weights are not kept: %s", problem)

    def _known(self) -> dict[str, Array]:
        if self._arrays is None:
            self._arrays = self._read()
        return self._arrays

    def _read(self) -> dict[str, Array]:
        blob = self._cache.load_mapped(self.key)
        if blob is None:
            return {}
        self._is_kept = True
        try:
            return _unpacked(blob)
        except NotKeptError as error:
            self._cache.report(self.key, str(error))
            return {}


def plan_part(plan: CacheKey) -> KeyPart:
    """What the key of packed weights says of the plan's."""
    return KeyPart.of("plan", [plan.digest], plan.digest[:12])


def is_worth_keeping(size: int, seconds: float) -> bool:
    """Whether `size` bytes that took so long to pack are read faster than they are packed again."""
    return seconds >= max(WORTH_KEEPING, size / SLOW_PACKING)


def _packed(arrays: Mapping[str, Array]) -> bytes:
    writer = ArrayWriter()
    return joined({name: writer.add(array) for name, array in arrays.items()}, writer)


def _unpacked(blob: memoryview) -> dict[str, Array]:
    names, table, content = parted(blob)
    arrays = read_arrays(table, content)
    try:
        return {name: arrays[number] for name, number in names.items()}
    except (AttributeError, IndexError, TypeError) as error:
        raise NotKeptError(f"it holds no packed weights: {error}") from error


class Packs:
    """The packed weights of one block of a plan: those of others have other names."""

    def __init__(self, weights: PackedWeights, within: str = "") -> None:
        self._weights = weights
        self._within = within

    def inside(self, instruction: int, block: int) -> Packs:
        """Those of a sub-block of an instruction."""
        return Packs(self._weights, f"{self._within}{instruction}.{block}/")

    def get(self, instruction: int, name: str, make: Callable[[], Array]) -> Array:
        """What is kept of an instruction under `name`, or what `make` returns."""
        known = f"{self._within}{instruction} {name}"
        found = self._weights.find(known)
        if found is None:
            # Not the clock's time: other threads and a slow disk do not make pack_version worth keeping.
            start = time.thread_time()
            found = make()
            self._weights.enter(known, found, time.thread_time() - start)
        return found
