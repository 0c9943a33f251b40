"""Runs a region on its device or, where anything fails, on the host.

For each input signature the compiled model is loaded from the cache or built, once, whoever asks
first.  A failure is remembered with its reason: the region's origin program, its unchanged ops on the
host, then answers this and all later runs of that signature.
"""

from __future__ import annotations

import functools
import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from lite.cache import DeviceCache, WeightHashes, cache_key
from lite.errors import CompileError, ExecutionError, LiteError
from lite.ir.clone import clone_graph
from lite.ir.graph import Graph
from lite.ir.types import shape_text
from lite.ops import Meta
from lite.ops.infer_graph import infer_metas
from lite.plan import Plan, Region
from lite.plugin.boundary import at_boundary
from lite.plugin.device import CompiledModel
from lite.runtime.regions.bisection import find_culprit
from lite.runtime.regions.bound import BoundRegion
from lite.runtime.regions.dynamic import DynamicModel
from lite.runtime.regions.single_flight import SingleFlight
from lite.runtime.regions.warn_once import FirstTimes

if TYPE_CHECKING:
    from lite.runtime.plan_state import Shared

log = logging.getLogger(__name__)

MAX_SPLITS = 3
"""How often what is left of a region goes to its device again, without the op that it failed on."""

Listener = Callable[[str], None]
"""Told in a sentence what is being built."""


@dataclass(frozen=True)
class RegionSettings:
    """How regions are built and what happens when one fails.

    `build` makes the host's plan of a graph, in which no device takes the ops named; `run_passes` takes
    a graph through passes.  `splits` is how many of `MAX_SPLITS` are left.  Of each kind of failure of a
    device, the first is a warning; all are in the report.  `host_threads` is entered, by several threads at
    once, while the host answers.
    """

    build: Callable[[Graph, Collection[str]], Plan]
    run_passes: Callable[[Graph, Sequence[str]], None]
    specs: Mapping[str, str] = field(default_factory=dict)
    """The text that named each device, with its options."""
    cache: DeviceCache | None = None
    weights: WeightHashes = field(default_factory=WeightHashes)
    fallback: str = "warn"
    max_signatures: int = 4
    splits: int = MAX_SPLITS
    within: str = ""
    """The numbers of the regions that this one is part of, each with a point behind it."""
    host_threads: AbstractContextManager[None] = field(default_factory=nullcontext)
    listeners: list[Listener] = field(default_factory=list)
    failures: FirstTimes = field(default_factory=FirstTimes)


class _NoModelError(CompileError):
    """No model is built for this signature, and no op is to blame; `kind` tells reasons apart."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class SubgraphEngine:
    """One region with all the models built for it; shared by clones, safe to use from threads."""

    def __init__(self, region: Region, settings: RegionSettings) -> None:
        self.region = region
        self.settings = settings
        self.cache_notes: dict[str, str] = {}
        """What the cache said of each signature."""
        self._lock = threading.Lock()
        self._bound: SingleFlight[BoundRegion] = SingleFlight()
        self._models = 0
        self._dynamic = DynamicModel(region, self._load_or_compile)
        self._hosts: dict[tuple[str, ...], Shared] = {}
        self._host_lock = threading.Lock()

    @property
    def name(self) -> str:
        """What messages call the region."""
        return f"region {self.settings.within}{self.region.id} on {self.region.device.name}"

    @property
    def bound(self) -> list[BoundRegion]:
        """The signatures bound so far."""
        return self._bound.done

    def bind(self, metas: Sequence[Meta]) -> BoundRegion:
        """How to run for inputs of these shapes; builds the model when it is the first to ask.

        Raises `GraphError` when the shapes do not fit the region's ops and, where falling back is not
        wanted, `CompileError`.
        """
        lods = tuple(meta.lod for meta in metas) if self.region.reads_lod else ()
        key = (tuple((meta.shape, meta.dtype, _elements(meta)) for meta in metas), lods)
        return self._bound.get(key, lambda: self._build(metas))

    def _build(self, metas: Sequence[Meta]) -> BoundRegion:
        graph = clone_graph(self.region.graph)
        found = infer_metas(graph, dict(zip(graph.args, metas, strict=True)))
        outputs = tuple(Meta(found[value].dtype, found[value].shape) for value in graph.results)
        bound = BoundRegion(
            self.region, self.settings, self.name, signature_text(metas), outputs, self._host_of
        )
        try:
            if self.region.reads_lod and any(meta.lod for meta in metas):
                bound.lods = tuple(meta.lod for meta in metas)
                raise _NoModelError("lods", f"{self.name}: inputs have LoDs, which an op of it reads")
            if self.region.memory is not None:
                self._check_sizes(outputs)
            self._find_model(graph, metas, bound)
        except CompileError as error:
            if self.settings.fallback == "error":
                raise
            self._give_up(metas, bound, error)
        return bound

    def _check_sizes(self, outputs: Sequence[Meta]) -> None:
        """Raise `CompileError` for an output of which nobody can say how much of the memory it is."""
        for name, meta in zip(self.region.graph.result_names, outputs, strict=True):
            if not meta.is_static:
                raise _NoModelError(
                    "sizes",
                    f"{self.name}: the shape of output {name!r}, {shape_text(meta.shape)}, depends on data: "
                    "it cannot be read from the device's memory; its bridge should decline the op",
                )

    def _find_model(self, graph: Graph, metas: Sequence[Meta], bound: BoundRegion) -> None:
        """Give a signature a model of its own or, where these are too many, the one for any shape."""
        with self._lock:
            self._models += 1
            full = self._models > self.settings.max_signatures
        if not full:
            bound.model = self._load_or_compile(graph, tuple(metas), bound)
        elif self.region.device.dynamic_shapes:
            self._dynamic.serve(bound)
        else:
            raise _NoModelError(
                "signatures",
                f"{self.name}: models for {self.settings.max_signatures} signatures were built, and the "
                "device takes no dynamic shapes; Config(max_signatures=…) allows more",
            )

    def _load_or_compile(
        self, graph: Graph, signature: tuple[Meta, ...], bound: BoundRegion
    ) -> CompiledModel:
        device, cache = self.region.device, self.settings.cache
        spec = self.settings.specs.get(device.name, device.name)
        start = time.perf_counter()
        key = None
        if cache is not None:
            try:
                key = cache_key(graph, signature, device, spec, self.settings.weights)
            except CompileError as error:
                log.warning("%s: the model cannot be kept: %s", self.name, error)
        if cache is None or key is None:
            model = self._compile(graph, signature)
        else:
            blob = cache.load(key)
            self.cache_notes[bound.signature] = cache.explain(key)
            loaded = self._loaded(blob, bound)
            if loaded is not None:
                bound.state, bound.seconds = "loaded", time.perf_counter() - start
                return loaded
            model = self._compile(graph, signature)
            self._store(model, lambda blob: cache.store(key, blob, f"{self.name}, {bound.signature}"))
        bound.state, bound.seconds = "built", time.perf_counter() - start
        return model

    def _loaded(self, blob: bytes | None, bound: BoundRegion) -> CompiledModel | None:
        """The model that was kept; one that the device cannot read any more is built anew."""
        if blob is None:
            return None
        device = self.region.device
        try:
            loaded = at_boundary(device.name, "loading a kept model", lambda: device.load(blob))
            return _checked(loaded, f"{device.name}: loading a kept model")
        except LiteError as error:
            log.warning("%s: the kept model for %s is built anew: %s", self.name, bound.signature, error)
            return None

    def _store(self, model: CompiledModel, store: Callable[[bytes], str | None]) -> None:
        try:
            blob = at_boundary(self.region.device.name, "serialising a model", model.serialize)
        except LiteError as error:
            log.warning("%s: the model cannot be kept: %s", self.name, error)
            return
        problem = None if blob is None else store(blob)
        if problem is not None:
            log.warning("%s: the model cannot be kept: %s", self.name, problem)

    def _compile(self, graph: Graph, signature: tuple[Meta, ...]) -> CompiledModel:
        device = self.region.device
        for listener in self.settings.listeners:
            listener(f"building {self.name}: {len(graph)} ops")
        try:
            passes = at_boundary(device.name, "naming its passes", device.region_passes)
            if passes:
                run = functools.partial(self._run_passes, graph, passes, signature)
                at_boundary(device.name, "running its passes", run)
        except CompileError as error:
            raise _NoModelError("passes", str(error)) from error
        reason = at_boundary(device.name, "judging a region", lambda: device.why_not_region(graph))
        if reason is not None:
            raise CompileError(f"{self.name}: {reason}")
        try:
            compiled = at_boundary(device.name, "compiling", lambda: device.compile(graph, signature))
            return _checked(compiled, f"{device.name}: compiling")
        except ExecutionError as error:
            raise CompileError(str(error)) from error

    def _run_passes(self, graph: Graph, passes: Sequence[str], signature: Sequence[Meta]) -> None:
        self.settings.run_passes(graph, passes)
        infer_metas(graph, dict(zip(graph.args, signature, strict=True)))

    def _host_of(self, bound: BoundRegion) -> Shared:
        """What runs the ops on the host, or those that a split leaves there; the same for all signatures."""
        from lite.runtime.plan_state import Shared

        with self._host_lock:
            if bound.without not in self._hosts:
                plan = bound.settings.build(clone_graph(self.region.graph), bound.without)
                self._hosts[bound.without] = Shared(plan, bound.settings)
            return self._hosts[bound.without]

    def _give_up(self, metas: Sequence[Meta], bound: BoundRegion, error: CompileError) -> None:
        """Leave the region, or at least the op at fault, to the host."""
        bound.reason = str(error)
        names = {v.label: node.label for node in self.region.graph for v in node.all_outputs()}
        is_about_ops = not isinstance(error, _NoModelError)
        culprit = error.op
        # A model for any shape fails for every signature to come: no search for each of them.
        if self.settings.splits and culprit is None and is_about_ops and bound.state != "dynamic":
            culprit = find_culprit(self.region, metas, lambda graph, given: self._compile(graph, given))
        if culprit in names and self.settings.splits and len(self.region.graph) > 1:
            bound.state = "split"
            bound.without = (names[culprit],)
            bound.settings = replace(
                self.settings,
                splits=self.settings.splits - 1,
                within=f"{self.settings.within}{self.region.id}.",
            )
        else:
            bound.state = "host"
        done = f"without op {bound.without[0]!r}" if bound.state == "split" else "on the host"
        kind = error.kind if isinstance(error, _NoModelError) else "compiling"
        # What fails within a split region was preceded by the warning of the split.
        is_whole = self.settings.splits == MAX_SPLITS
        is_news = is_whole and self.settings.failures.is_first((self.region.device.name, kind))
        level = logging.WARNING if is_news else logging.INFO
        reason = bound.reason.removeprefix(f"{self.name}: ")
        log.log(level, "%s runs %s for %s: %s", self.name, done, bound.signature, reason)


def _checked(found: object, doing: str) -> CompiledModel:
    """What a device made, if it is a model; raises `CompileError`."""
    if not isinstance(found, CompiledModel):
        raise CompileError(f"{doing} gave {found!r}, expected a CompiledModel")
    return found


def signature_text(metas: Sequence[Meta]) -> str:
    """``float32[1,3,64,64], int32[2] = [64, 64]``, with the elements where only they tell the shapes."""
    return ", ".join(_meta_text(meta) for meta in metas) or "no inputs"


def _meta_text(meta: Meta) -> str:
    text = f"{meta.dtype}{shape_text(meta.shape)}"
    return text if meta.value is None else f"{text} = {np.array2string(meta.value, separator=', ')}"


def _elements(meta: Meta) -> bytes | None:
    """What is known of a value before the run, of which shapes may be made."""
    return None if meta.value is None else meta.value.tobytes()
