"""Plans kept in `Config.cache_dir`: a second start neither reads the model nor optimises it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from lite.cache.array_table import ArrayWriter, NotKeptError, read_arrays
from lite.cache.device_cache import PLANS, DeviceCache
from lite.cache.document import joined, parted
from lite.cache.key import CacheKey, KeyPart
from lite.cache.mapped_files import MappedFiles
from lite.cache.model_files import ModelFiles, place_fields, place_text, read_files
from lite.cache.packed_weights import PackedWeights, plan_part
from lite.cache.plan_serde import Record, plan_of, plan_record
from lite.cache.weight_hashes import WeightHashes
from lite.ir.program import Program
from lite.plan import Plan
from lite.plugin.device import Device
from lite.plugin.format import ModelSource
from lite.plugin.loader import kernel_modules, load_modules

log = logging.getLogger(__name__)

PLAN_KIND = "plan"
FILES_KIND = "file list"

TICK_NS = 20_000_000
"""Resolution of file system clocks: a file may have changed this long after its time stamp."""

_TRANSIENT = {"sources", "registered", "model"}
"""Parts of a key whose old content never returns: a plan that differs only in them is superseded."""

T = TypeVar("T")


class PlanCache(Generic[T]):
    """The kept plans of one model and one set of options.

    `code` and `options` are the parts of a plan's key besides the model.  `restore` makes what the
    caller uses of a kept plan, the record stored with it, and its packed weights; it raises
    `ValueError`, `TypeError` or `LookupError` for a record that it cannot read.
    """

    def __init__(
        self,
        directory: Path,
        source: ModelSource,
        code: Callable[[Path], Sequence[KeyPart]],
        options: Sequence[KeyPart],
        devices: Sequence[Device[Any]],
        restore: Callable[[Record, Plan, PackedWeights], T],
        *,
        verify: bool = False,
    ) -> None:
        self._source = source
        self._described = place_text(source)
        self._store = DeviceCache(directory / PLANS)
        self._weights = WeightHashes(directory, verify=verify)
        self._code = code(self._store.directory)
        self._options = options
        self._devices = devices
        self._restore = restore
        self._files: ModelFiles | None = None
        self._key: CacheKey | None = None

    def recall(self) -> T | None:
        """The plan of the model in the files that it was read from last; None where anything differs."""
        if self._source.model is not None and self._source.params_path is None:
            return self._load([])
        blob = self._store.load(self._files_key)
        return None if blob is None else self._load(json.loads(blob))

    def find(self, program: Program) -> T | None:
        """The plan of a program that was just read; None where there is none."""
        found = self._load(read_files(program, self._source))
        if found is not None:
            self._store_file_list()
        return found

    def keep(self, plan: Plan, record: Record, started: int) -> PackedWeights | None:
        """Store a plan and the caller's record; the place for its packed weights, None where not stored.

        `started` is a time in nanoseconds before any file of the model was read.
        """
        files, key = self._files, self._key
        if files is None or key is None:
            return None
        if files.changed_ns >= started - TICK_NS:
            log.info("%s: the plan is not kept: the model was just written", self._source)
            return None
        reason = self._store.explain(key)
        if reason.startswith("nearest"):
            log.info("%s is optimised again: %s", self._source, reason)
        try:
            problem = self._store.store(key, self._blob(plan, record, files), self._described)
        except NotKeptError as error:
            problem = str(error)
        if problem is None:
            self._store_file_list()
            self._drop_superseded(key)
        else:
            log.info("%s: the plan is not kept: %s", self._source, problem)
        return self._packs(key, plan)

    def _load(self, paths: Sequence[str] | None) -> T | None:
        """The plan of the model in these files; `paths` is None where the files are unknown."""
        if paths is None:
            log.info("%s: the plan is not kept: its format does not list the files it reads", self._source)
            return None
        try:
            files = ModelFiles.open(paths, self._source)
        except OSError:
            return None  # the parser reports what is wrong with them
        if self._files is not None and self._files.paths == files.paths:
            return None
        self._files = files
        self._key = CacheKey.of([*self._code, files.key_part(self._weights), *self._options])
        blob = self._store.load_mapped(self._key)
        if blob is None:
            return None
        try:
            return self._read(blob, self._key, files)
        except NotKeptError as error:
            self._store.report(self._key, str(error))
            return None

    def _read(self, blob: memoryview, key: CacheKey, files: ModelFiles) -> T:
        document, table, content = parted(blob)
        arrays = read_arrays(table, content, files.contents)
        try:
            load_modules(document["modules"])
            plan = plan_of(document["plan"], arrays, self._devices)
            return self._restore(document["record"], plan, self._packs(key, plan))
        except (ValueError, TypeError, LookupError) as error:
            raise NotKeptError(f"it holds no valid plan: {error}") from error

    def _blob(self, plan: Plan, record: Record, files: ModelFiles) -> bytes:
        mapped = MappedFiles()
        arrays = ArrayWriter(files.contents, lambda array: files.place(array, mapped))
        document = {
            "plan": plan_record(plan, arrays),
            "modules": kernel_modules({item.op for each in _plans(plan) for item in each.instructions}),
            "record": record,
        }
        return joined(document, arrays)

    def _store_file_list(self) -> None:
        """Store, for `recall`, which files the model was read from."""
        if self._files is not None and self._files.paths:
            paths = json.dumps(self._files.paths).encode()
            problem = self._store.store(self._files_key, paths, self._described)
            if problem is not None:
                log.info("%s: its list of files is not kept: %s", self._source, problem)

    @property
    def _files_key(self) -> CacheKey:
        fields = place_fields(self._source)
        kind = KeyPart.of("kind", [FILES_KIND], FILES_KIND)
        code = (part for part in self._code if part.name != "kind")
        return CacheKey.of([kind, *code, KeyPart.of("place", fields, fields[0])])

    def _packs(self, key: CacheKey, plan: Plan) -> PackedWeights:
        targets = {item.place.target for each in _plans(plan) for item in each.instructions}
        return PackedWeights(self._store, key, targets, self._described)

    def _drop_superseded(self, key: CacheKey) -> None:
        """Remove this model's plans that no start can ask for again, with their packed weights."""
        entries = [(entry, entry.key) for entry in self._store.entries() if entry.key is not None]
        dropped: set[KeyPart] = set()
        # Models given as bytes share one description, so they do not supersede each other.
        transient = _TRANSIENT if self._source.path is not None else _TRANSIENT - {"model"}
        for entry, other in entries:
            if other.kind == PLAN_KIND and entry.described == self._described and other != key:
                parts = (part for pair in key.differing(other) for part in pair if part is not None)
                if transient.issuperset(part.name for part in parts):
                    dropped.add(plan_part(other))
                    self._store.drop(entry)
        for entry, other in entries:
            if not dropped.isdisjoint(other.parts):
                self._store.drop(entry)


def _plans(plan: Plan) -> Iterator[Plan]:
    """A plan and those of its blocks."""
    yield plan
    for item in plan.instructions:
        for block in item.blocks:
            yield from _plans(block)
