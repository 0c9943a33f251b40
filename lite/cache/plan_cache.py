"""Cached plans: a second start neither reads the model nor optimises it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from lite.cache.array_blob import (
    SEARCH_MIN_BYTES,
    ArrayWriter,
    NotCacheableError,
    pack_blob,
    unpack_blob,
)
from lite.cache.directory import PLANS, CacheDirectory
from lite.cache.entry import InvalidEntryError
from lite.cache.key import CacheKey, KeyPart
from lite.cache.mapped_files import MappedFiles
from lite.cache.model_files import ModelFiles, location_fields, location_text, paths_read
from lite.cache.packed_weights import PackedWeights, plan_part
from lite.cache.plan_serde import Record, plan_from_record, plan_record
from lite.cache.weight_hashes import WeightHashes
from lite.ir.program import Program
from lite.plan import Plan
from lite.plan.plan import plans_in
from lite.plugin.device import Device
from lite.plugin.format import ModelSource
from lite.plugin.loader import kernel_modules, load_modules

log = logging.getLogger(__name__)

_warned: set[str] = set()
"""Problems with folders that were logged, each once."""

PLAN_KIND = "plan"
FILES_KIND = "file list"

CLOCK_TICK_NS = 20_000_000
"""Resolution of file systems' clocks: a file may have changed this long after its time stamp."""

_TRANSIENT_PARTS = {"sources", "registered", "model"}
"""Parts of a key whose old content does not return: a newer plan replaces one that differs only in them."""

T = TypeVar("T")


class PlanCache(Generic[T]):
    """The cached plans of one model with one set of options.

    A plan is stored with a record, which is the caller's JSON.  The key of a plan consists of `code(folder)`
    (the parts for the source code), the part of the model's files, and `options`.

    The files of a model are known only after parsing it.  Their list is, therefore, an entry of its own,
    whose key is the model's location: `recall` reads the list, hashes the files and looks the plan up
    without parsing; `find` does so for a program that was just parsed.

    `restore` makes a T from a record, its plan and the plan's packed weights.  It raises `ValueError`,
    `TypeError` or `LookupError` for an invalid record.
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
        self._description = location_text(source)
        self._store = CacheDirectory(directory / PLANS)
        self._weights = WeightHashes(directory, verify=verify)
        self._code = code(self._store.directory)
        self._options = options
        self._devices = devices
        self._restore = restore
        self._files: ModelFiles | None = None
        self._key: CacheKey | None = None

    def recall(self) -> T | None:
        """The plan of the model in the files that it was last read from; None where anything changed."""
        if self._source.model is not None and self._source.params_path is None:
            return self._load([])
        blob = self._store.load(self._files_key)
        return None if blob is None else self._load(json.loads(blob))

    @property
    def paths(self) -> Sequence[str]:
        """The files of the model, as far as they are known."""
        return () if self._files is None else self._files.paths

    @property
    def entry(self) -> Path | None:
        """The file of the plan, once its key is known; a plan that was found maps it."""
        return None if self._key is None else self._store.path(self._key)

    def find(self, program: Program) -> T | None:
        """The plan of a program that was just read; None where there is none."""
        restored = self._load(paths_read(program, self._source))
        if restored is not None:
            self._store_file_list()
        return restored

    def keep(self, plan: Plan, record: Record, started: int) -> PackedWeights | None:
        """Store a plan with its record; returns its packed weights, or None if no plan can be stored.

        `started` is a time in nanoseconds before any file of the model was read.
        """
        files, key = self._files, self._key
        if files is None or key is None:
            return None
        if files.changed_ns >= started - CLOCK_TICK_NS:
            log.info("%s: the plan is not cached: the model was just written", self._source)
            return None
        reason = self._store.explain(key)
        if reason.startswith("nearest"):
            log.info("%s is optimised again: %s", self._source, reason)
        try:
            problem = self._store.store(key, self._blob(plan, record, files), self._description)
        except NotCacheableError as error:
            log.info("%s: the plan is not cached: %s", self._source, error)
        else:
            if problem is None:
                self._store_file_list()
                self._drop_superseded(key)
            elif problem not in _warned:
                _warned.add(problem)
                log.warning("plans are not cached: %s; choose a cache_dir that can be written to", problem)
        return self._packed_weights(key, plan)

    def _load(self, paths: Sequence[str] | None) -> T | None:
        """The plan of the model in these files; `paths` is None where the files are unknown."""
        if paths is None:
            log.info("%s: the plan is not cached: its format does not list the files it reads", self._source)
            return None
        try:
            files = ModelFiles.open(paths, self._source)
        except OSError:
            return None  # the parser reports what is wrong with the files
        if self._files is not None and self._files.paths == files.paths:
            return None
        self._files = files
        self._key = CacheKey.of([*self._code, files.key_part(self._weights), *self._options])
        blob = self._store.load_mapped(self._key)
        if blob is None:
            return None
        try:
            return self._unpack(blob, self._key, files)
        except InvalidEntryError as error:
            self._store.report(self._key, str(error))
            return None

    def _unpack(self, blob: memoryview, key: CacheKey, files: ModelFiles) -> T:
        document, arrays = unpack_blob(blob, files.contents)
        try:
            load_modules(document["modules"])
            plan = plan_from_record(document["plan"], arrays, self._devices)
            return self._restore(document["record"], plan, self._packed_weights(key, plan))
        except (ValueError, TypeError, LookupError) as error:
            raise InvalidEntryError(f"it holds no valid plan: {error}") from error

    def _blob(self, plan: Plan, record: Record, files: ModelFiles) -> bytes:
        mapped = MappedFiles()
        arrays = ArrayWriter(
            files.contents,
            lambda array: None if array.nbytes < SEARCH_MIN_BYTES else files.find(array, mapped),
        )
        document = {
            "plan": plan_record(plan, arrays),
            "modules": kernel_modules({item.op for each in plans_in(plan) for item in each.instructions}),
            "record": record,
        }
        return pack_blob(document, arrays)

    def _store_file_list(self) -> None:
        """Store, for `recall`, which files the model was read from."""
        if self._files is not None and self._files.paths:
            paths = json.dumps(self._files.paths).encode()
            problem = self._store.store(self._files_key, paths, self._description)
            if problem is not None:
                log.info("%s: its list of files is not cached: %s", self._source, problem)

    @property
    def _files_key(self) -> CacheKey:
        fields = location_fields(self._source)
        kind = KeyPart.of("kind", [FILES_KIND], FILES_KIND)
        code = (part for part in self._code if part.name != "kind")
        return CacheKey.of([kind, *code, KeyPart.of("place", fields, fields[0])])

    def _packed_weights(self, key: CacheKey, plan: Plan) -> PackedWeights:
        targets = {item.place.target for each in plans_in(plan) for item in each.instructions}
        return PackedWeights(self._store, key, targets, self._description)

    def _drop_superseded(self, key: CacheKey) -> None:
        """Remove this model's plans that no start can ask for again, with their packed weights."""
        entries = [(entry, entry.key) for entry in self._store.entries() if entry.key is not None]
        dropped: set[KeyPart] = set()
        # Models passed as bytes share one description: another content is another model.
        transient = _TRANSIENT_PARTS if self._source.path is not None else _TRANSIENT_PARTS - {"model"}
        for entry, other in entries:
            if other.kind == PLAN_KIND and entry.description == self._description and other != key:
                parts = (part for pair in key.difference(other) for part in pair if part is not None)
                if transient.issuperset(part.name for part in parts):
                    dropped.add(plan_part(other))
                    self._store.drop(entry)
        for entry, other in entries:
            if not dropped.isdisjoint(other.parts):
                self._store.drop(entry)
