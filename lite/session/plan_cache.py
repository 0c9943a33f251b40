"""Plans kept in `Config.cache_dir`, so that a second start neither reads the model nor optimises it."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lite.cache import PLANS, CacheKey, DeviceCache, KeyPart, WeightHashes
from lite.cache.array_table import ArrayWriter, NotKeptError, read_arrays
from lite.cache.document import joined, parted
from lite.cache.mapped_files import MappedFiles
from lite.cache.model_files import ModelFiles, place_fields, place_text, read_files
from lite.cache.packed_weights import PackedWeights, plan_part
from lite.cache.plan_serde import Record, plan_of, plan_record, shape_of
from lite.config import Config
from lite.errors import CompileError
from lite.io.load import load_program
from lite.ir.build import fetched_names
from lite.ir.graph import Graph
from lite.ir.program import Attribute, AttrType, Block, Op, Program
from lite.ir.types import DType
from lite.passes.base import PassContext
from lite.passes.manager import PassRecord
from lite.plan import Plan
from lite.plugin.loader import kernel_modules, load_modules
from lite.runtime.threads import BlasLimit
from lite.session.build import optimize, pass_context
from lite.session.plan_key import KIND, code_parts, option_parts
from lite.subgraph.report import OpReport, PlacementReport, RegionReport, TensorReport

log = logging.getLogger(__name__)

FILES_KIND = "file list"

TICK_NS = 20_000_000
"""How coarse clocks of file systems are: a file that was changed this long before may have been later."""

_PASSING = {"sources", "registered", "model"}
"""Parts of a key that never are again what they were: a plan that differs in them only is superseded."""


@dataclass(frozen=True)
class Planned:
    """What a predictor is made of; of a plan that was kept, `graph` has the arguments only."""

    graph: Graph
    ctx: PassContext
    records: Sequence[PassRecord] = ()
    packs: PackedWeights | None = None


def planned(config: Config) -> Planned:
    """The plan that is kept for a Config with a `cache_dir`, or a new one, which is kept.

    Raises what `load_program` and `optimize` raise.
    """
    started = time.time_ns()
    ctx = pass_context(Program(source=str(config.source)), config)
    cache = _opened(config, ctx)
    found = None if cache is None else cache.recall()
    if found is not None:
        return found
    program = load_program(config)
    if cache is not None:
        found = cache.load(read_files(program, config.source))
        if found is not None:
            cache.note_files()
            return found
    # What is folded is small: more threads would wait for each other longer than they work.
    with BlasLimit(1):
        graph, ctx, records = optimize(program, config, ctx=ctx)
    packs = None if cache is None else cache.keep(graph, started)
    return Planned(graph, ctx, records, packs)


def _opened(config: Config, ctx: PassContext) -> _PlanCache | None:
    try:
        return _PlanCache(config, ctx)
    except (NotKeptError, CompileError) as error:
        log.info("the plan is not kept: %s", error)
        return None


class _PlanCache:
    """The plans kept for one Config, whose passes would have the context `ctx`."""

    def __init__(self, config: Config, ctx: PassContext) -> None:
        directory = Path(config.cache_dir or "")
        self._source = config.source
        self._ctx = ctx
        self._described = place_text(config.source)
        self._store = DeviceCache(directory / PLANS)
        self._weights = WeightHashes(directory, verify=config.verify_weights)
        self._code = list(code_parts(self._store.directory, verify=config.verify_weights))
        self._options = list(option_parts(config, ctx))
        self._files: ModelFiles | None = None
        self._key: CacheKey | None = None

    def recall(self) -> Planned | None:
        """The plan of the model in the files that it was in last; None where something is different."""
        if self._source.model is not None and self._source.params_path is None:
            return self.load([])
        blob = self._store.load(self._files_key)
        return None if blob is None else self.load(json.loads(blob))

    def load(self, paths: Sequence[str] | None) -> Planned | None:
        """The plan of the model in these files; None where there is none, or its files are not known."""
        if paths is None:
            log.info("%s: the plan is not kept: its format does not say which files it reads", self._source)
            return None
        try:
            files = ModelFiles.open(paths, self._source)
        except OSError:
            return None  # what is wrong with them is for the parser to say
        if self._files is not None and self._files.paths == files.paths:
            return None
        self._files = files
        self._key = CacheKey.of([*self._code, files.key_part(self._weights), *self._options])
        blob = self._store.load_mapped(self._key)
        if blob is None:
            return None
        try:
            return self._planned(blob, self._key, files)
        except NotKeptError as error:
            self._store.report(self._key, str(error))
            return None

    def keep(self, graph: Graph, started: int) -> PackedWeights | None:
        """Store the context's plan, and have a place for its packed weights.

        `started` is when nothing of the model had been read yet, in nanoseconds.
        """
        plan, files, key = self._ctx.plan, self._files, self._key
        if plan is None or files is None or key is None:
            return None
        if files.changed_ns >= started - TICK_NS:
            log.info("%s: the plan is not kept: the model was just written", self._source)
            return None
        reason = self._store.explain(key)
        if reason.startswith("nearest"):
            log.info("%s is optimised anew: %s", self._source, reason)
        try:
            problem = self._store.store(key, self._blob(plan, graph, files), self._described)
        except NotKeptError as error:
            problem = str(error)
        if problem is None:
            self.note_files()
            self._drop_superseded(key)
        else:
            log.info("%s: the plan is not kept: %s", self._source, problem)
        return self._packs(key, plan)

    def note_files(self) -> None:
        """Keep, for `recall`, which files the model was in."""
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

    def _blob(self, plan: Plan, graph: Graph, files: ModelFiles) -> bytes:
        mapped = MappedFiles()
        arrays = ArrayWriter(files.contents, lambda array: files.place(array, mapped))
        inputs = [[arg.name, None if arg.dtype is None else arg.dtype.label, arg.shape] for arg in graph.args]
        record = {
            "plan": plan_record(plan, arrays),
            "memory": self._ctx.plan_memory,
            "modules": kernel_modules({item.op for each in _plans(plan) for item in each.instructions}),
            "inputs": inputs,
            "outputs": fetched_names(self._ctx.program),
            "placed": _report_record(self._ctx.placed),
        }
        return joined(record, arrays)

    def _planned(self, blob: memoryview, key: CacheKey, files: ModelFiles) -> Planned:
        record, table, content = parted(blob)
        arrays = read_arrays(table, content, files.contents)
        ctx = self._ctx
        try:
            load_modules(record["modules"])
            plan = plan_of(record["plan"], arrays, ctx.devices)
            placed = _report_of(record["placed"])
            graph, program = _with_inputs(record["inputs"]), _with_outputs(record["outputs"])
            memory = str(record["memory"])
        except (ValueError, TypeError, LookupError) as error:
            raise NotKeptError(f"it holds no plan: {error}") from error
        for sentence in placed.warnings:
            if sentence not in ctx.roster.warnings:
                log.warning("%s", sentence)
        program.source = str(self._source)
        ctx.program, ctx.plan, ctx.plan_memory, ctx.placed = program, plan, memory, placed
        return Planned(graph, ctx, packs=self._packs(key, plan))

    def _packs(self, key: CacheKey, plan: Plan) -> PackedWeights:
        targets = {item.place.target for each in _plans(plan) for item in each.instructions}
        return PackedWeights(self._store, key, targets, self._described)

    def _drop_superseded(self, key: CacheKey) -> None:
        """Remove plans of this model that nobody will ask for again, with their packed weights."""
        entries = [(entry, entry.key) for entry in self._store.entries() if entry.key is not None]
        gone: set[KeyPart] = set()
        # A model given as bytes takes no other one's place.
        passing = _PASSING if self._source.path is not None else _PASSING - {"model"}
        for entry, other in entries:
            if other.kind == KIND and entry.described == self._described and other != key:
                parts = (part for pair in key.differing(other) for part in pair if part is not None)
                if passing.issuperset(part.name for part in parts):
                    gone.add(plan_part(other))
                    self._store.drop(entry)
        for entry, other in entries:
            if not gone.isdisjoint(other.parts):
                self._store.drop(entry)


def _plans(plan: Plan) -> Iterator[Plan]:
    """A plan and those of its blocks."""
    yield plan
    for item in plan.instructions:
        for block in item.blocks:
            yield from _plans(block)


def _report_record(placed: PlacementReport) -> Record:
    plain = asdict(placed)
    return {**plain, "entered": [asdict(op) for op in placed.ops]}


def _report_of(record: Record) -> PlacementReport:
    regions = [
        RegionReport(**{**found, "tensors": [TensorReport(**tensor) for tensor in found["tensors"]]})
        for found in record["regions"]
    ]
    ops = [OpReport(**found) for found in record["entered"]]
    pruned = [(device, count, reason) for device, count, reason in record["pruned"]]
    given = {**record, "regions": regions, "pruned": pruned}
    return PlacementReport(**{**given, "entered": {(op.block, op.name): op for op in ops}})


def _with_inputs(inputs: Sequence[Any]) -> Graph:
    """A graph with these arguments."""
    graph = Graph()
    for name, dtype, shape in inputs:
        arg = graph.add_arg(name)
        arg.dtype = None if dtype is None else DType.from_name(dtype)
        arg.shape = shape_of(shape)
    return graph


def _with_outputs(names: Sequence[str]) -> Program:
    """A program that fetches these variables."""
    fetches = [
        Op("fetch", {"X": [name]}, {}, {"col": Attribute(AttrType.INT, column)})
        for column, name in enumerate(names)
    ]
    return Program([Block(0, ops=fetches)])
