"""SubgraphEngine: binds a region to input signatures, with a device model for each.

The first thread that meets a signature loads the model from the cache, or has the device build it.  A failure
is remembered with its reason: from then on, the host runs the region's unchanged ops for that signature.
"""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

import numpy as np

from lite.cache.key import CacheKey
from lite.cache.region_key import region_key
from lite.errors import CompileError, ExecutionError, LiteError
from lite.ir.clone import clone_graph
from lite.ir.graph import Graph
from lite.ir.types import shape_text
from lite.ops import Meta
from lite.ops.infer_graph import infer_metas
from lite.plan import Region
from lite.plugin.boundary import at_boundary
from lite.plugin.device import CompiledModel
from lite.plugin.kernel.owned_lock import OwnedLock
from lite.runtime.regions.bisection import find_failing_op
from lite.runtime.regions.bound import BoundRegion, Outcome
from lite.runtime.regions.forks import drop_models_after_fork, keep_for_ever
from lite.runtime.regions.groups import GroupMember
from lite.runtime.regions.host_plans import HostPlans
from lite.runtime.regions.known_elements import enter_known_elements
from lite.runtime.regions.region_model import RegionModel, checked
from lite.runtime.regions.settings import MAX_SPLITS, RegionSettings
from lite.runtime.regions.single_flight import SingleFlight

log = logging.getLogger(__name__)

Signature = tuple[Meta, ...]

ONLY_BUILDS = " only builds models here: "
"""A part of the reason where the device of a region compiled it and runs no models on this machine."""


class _NoModelError(CompileError):
    """Raised where no model can be built, but no op is at fault; `kind` groups the warnings."""

    def __init__(self, kind: str, message: str, op: str | None = None) -> None:
        super().__init__(message, op)
        self.kind = kind


class SubgraphEngine:
    """One region with its models for all signatures; shared by clones, safe to use from threads."""

    def __init__(self, region: Region, settings: RegionSettings) -> None:
        self.region = region
        self.settings = settings
        self.cache_notes: dict[str, str] = {}
        """The cache's explanation of hit or miss, by signature."""
        self._lock = OwnedLock()
        self._bound: SingleFlight[BoundRegion] = SingleFlight()
        self._static_signatures: set[str] = set()
        self._grouped: dict[Hashable, RegionModel] = {}
        """Models that were compiled together with others, by signature, until they are bound."""
        self._dynamic_model: SingleFlight[RegionModel] = SingleFlight()
        self._dynamic_lock = OwnedLock()
        self._hosts = HostPlans(region)
        drop_models_after_fork(self)

    def drop_models(self) -> None:
        """In a forked process: build models again that are not bound yet, unless they work there, too."""
        for key, each in list(self._grouped.items()):
            if not each.model.survives_fork:
                keep_for_ever(each.model)
                del self._grouped[key]
        for each in self._dynamic_model.done:
            if not each.model.survives_fork:
                keep_for_ever(each.model)
                self._dynamic_model = SingleFlight()

    @property
    def name(self) -> str:
        """The region in messages."""
        return f"region {self.settings.within}{self.region.id} on {self.region.device.name}"

    @property
    def bound(self) -> list[BoundRegion]:
        """The signatures bound so far."""
        return self._bound.done

    def bind(self, metas: Sequence[Meta]) -> BoundRegion:
        """The region bound to these inputs; the first thread that asks builds the model.

        Raises `GraphError` when the shapes do not fit the region's ops and, with
        ``Config(fallback="error")``, `CompileError`.
        """
        return self._bound.get(self.key(metas), lambda: self._bind(tuple(metas)))

    def outputs(self, metas: Sequence[Meta]) -> tuple[Meta, ...]:
        """The metas of the results for these inputs; raises `GraphError`."""
        return self.inferred(metas)[1]

    def inferred(self, metas: Sequence[Meta]) -> tuple[Graph, tuple[Meta, ...]]:
        """A copy of the region's graph with the shapes for these inputs, and the metas of the results."""
        graph = clone_graph(self.region.graph)
        found = infer_metas(graph, dict(zip(graph.args, metas, strict=True)))
        enter_known_elements(graph, found)
        results = (found[value] for value in graph.results)
        return graph, tuple(Meta(each.dtype, each.shape, each.value) for each in results)

    def lacks(self, metas: Sequence[Meta]) -> bool:
        """Whether a model for this signature can be given, as none is bound or waits to be bound."""
        if self.region.reads_lod and any(meta.lod for meta in metas):
            return False
        key = self.key(metas)
        return key not in self._grouped and key not in self._bound

    def give(self, metas: Sequence[Meta], model: RegionModel) -> None:
        """Use a model when the region is bound to this signature."""
        self._grouped[self.key(metas)] = model

    def key(self, metas: Sequence[Meta]) -> Hashable:
        """What distinguishes the signature of these inputs from others."""
        lods = tuple(meta.lod for meta in metas) if self.region.reads_lod else ()
        return tuple((meta.shape, meta.dtype, _elements(meta)) for meta in metas), lods

    def _bind(self, metas: Signature) -> BoundRegion:
        graph, outputs = self.inferred(metas)
        text = signature_text(metas)
        has_lods = self.region.reads_lod and any(meta.lod for meta in metas)
        try:
            if has_lods:
                raise _NoModelError("lods", f"{self.name}: inputs have LoDs, which one of its ops reads")
            if self.region.memory is not None:
                self._check_sizes(outputs)
            outcome = self._find_model(graph, metas, text)
        except CompileError as error:
            if self.settings.fallback == "error":
                raise
            outcome = self._give_up(metas, text, error)
        if has_lods:
            outcome = replace(outcome, lods=tuple(meta.lod for meta in metas))
        outcome = replace(outcome, inputs=metas)
        settings = self.settings if outcome.state != "split" else self._inner_settings()
        plan_host = functools.partial(self._hosts.get, settings, outcome.without)
        return BoundRegion(self.region, settings, self.name, text, outputs, outcome, plan_host)

    def _check_sizes(self, outputs: Sequence[Meta]) -> None:
        """Raise `CompileError` for an output whose size in the device's memory is unknown."""
        for name, meta in zip(self.region.graph.result_names, outputs, strict=True):
            if not meta.is_static:
                raise _NoModelError(
                    "sizes",
                    f"{self.name}: the shape of output {name!r}, {shape_text(meta.shape)}, depends on data: "
                    "it cannot be read from the device's memory; its bridge should decline the op",
                )

    def _find_model(self, graph: Graph, metas: Signature, text: str) -> Outcome:
        """A model for this signature, or after `max_signatures` models the one for any shape."""
        with self._lock:
            # A signature that an interrupt stopped comes again, and counts once.
            self._static_signatures.add(text)
            is_full = len(self._static_signatures) > self.settings.max_signatures
        if not is_full:
            static = self._grouped.pop(self.key(metas), None)
            if static is None:
                static = self._load_or_compile(graph, metas, text)
            return self._left_to_host(static) or Outcome(
                static.state, static.model, static.seconds, member=static.member
            )
        if not self.region.device.dynamic_shapes:
            raise _NoModelError(
                "signatures",
                f"{self.name}: models for {self.settings.max_signatures} signatures were built, and the "
                "device takes no dynamic shapes; Config(max_signatures=…) allows more",
            )
        dynamic = self._dynamic_model.get(None, lambda: self._make_dynamic_model(text))
        return Outcome("dynamic", dynamic.model, dynamic.seconds, lock=self._dynamic_lock)

    def _left_to_host(self, model: RegionModel) -> Outcome | None:
        """The host's outcome where the device only builds models; None where it runs them."""
        name = self.region.device.name
        reason = at_boundary(name, "asking whether it runs models", self.region.device.why_not_run)
        if reason is None:
            return None
        sentence = f"{name}{ONLY_BUILDS}{reason}"
        if self.settings.fallback == "error":
            raise _NoModelError("build only", f"{self.name}: {sentence}")
        log.log(
            self.settings.failures.level((name, "build only")), "%s runs on the host: %s", self.name, sentence
        )
        return Outcome("host", seconds=model.seconds, reason=sentence, built=model.model, member=model.member)

    def _make_dynamic_model(self, text: str) -> RegionModel:
        graph = clone_graph(self.region.graph)
        metas = infer_metas(graph)
        try:
            return self._load_or_compile(graph, tuple(metas[arg] for arg in graph.args), text)
        except _NoModelError:
            raise
        except CompileError as error:
            # The error holds for all later signatures, so none of them searches for the op at fault.
            raise _NoModelError("compiling", str(error), error.op) from error

    def _load_or_compile(self, graph: Graph, metas: Signature, text: str) -> RegionModel:
        cache, start = self.settings.cache, time.perf_counter()
        key = self.cache_key(graph, metas)
        if cache is None or key is None:
            return RegionModel(self._compile(graph, metas), "built", time.perf_counter() - start)
        blob = cache.store.load(key)
        self.cache_notes[text] = cache.store.explain(key)
        loaded = None if blob is None else self._load(blob, text)
        if loaded is not None:
            model, member = loaded
            return RegionModel(model, "loaded", time.perf_counter() - start, member)
        model = self._compile(graph, metas)
        self._store(model, lambda blob: cache.store.store(key, blob, f"{self.name}, {text}"))
        return RegionModel(model, "built", time.perf_counter() - start)

    def cache_key(self, graph: Graph, metas: Signature) -> CacheKey | None:
        """The key of a model in the cache; None without a cache, or where the device has no version."""
        device, cache = self.region.device, self.settings.cache
        if cache is None:
            return None
        try:
            return region_key(graph, metas, device, cache.specs.get(device.name, device.name), cache.weights)
        except CompileError as error:
            log.warning("%s: the model cannot be cached: %s", self.name, error)
            return None

    def _load(self, blob: bytes, text: str) -> tuple[CompiledModel, GroupMember | None] | None:
        """The stored model; None where the device cannot load it, so that it has to be built again."""
        device, activity = self.region.device, "loading a cached model"
        try:
            member = self.settings.groups.member(blob, device, self.settings.cache)
            loaded = (
                at_boundary(device.name, activity, lambda: device.load(blob))
                if member is None
                else member.model
            )
            return checked(loaded, device.name, activity), member
        except LiteError as error:
            log.warning("%s: the cached model for %s is built again: %s", self.name, text, error)
            return None

    def _store(self, model: CompiledModel, store: Callable[[bytes], str | None]) -> None:
        try:
            blob = at_boundary(self.region.device.name, "serialising a model", model.serialize)
        except LiteError as error:
            log.warning("%s: the model cannot be cached: %s", self.name, error)
            return
        problem = None if blob is None else store(blob)
        if problem is not None:
            log.warning("%s: the model cannot be cached: %s", self.name, problem)

    def _compile(self, graph: Graph, metas: Signature) -> CompiledModel:
        device = self.region.device
        self.make_ready(graph, metas)
        try:
            compiled = at_boundary(device.name, "compiling", lambda: device.compile(graph, metas))
            return checked(compiled, device.name, "compiling")
        except ExecutionError as error:
            raise CompileError(str(error)) from error

    def make_ready(self, graph: Graph, metas: Signature) -> None:
        """Run the device's passes on a region before it is compiled; raises `CompileError`."""
        device = self.region.device
        for listener in self.settings.listeners:
            listener(f"building {self.name}: {len(graph)} ops")
        try:
            passes = at_boundary(device.name, "naming its passes", device.region_passes)
            if passes:
                run = functools.partial(self._run_passes, graph, passes, metas)
                at_boundary(device.name, "running its passes", run)
        except CompileError as error:
            raise _NoModelError("passes", str(error)) from error
        reason = at_boundary(device.name, "checking a region", lambda: device.why_not_region(graph))
        if reason is not None:
            raise CompileError(f"{self.name}: {reason}")

    def _run_passes(self, graph: Graph, passes: Sequence[str], metas: Signature) -> None:
        self.settings.run_passes(graph, passes)
        infer_metas(graph, dict(zip(graph.args, metas, strict=True)))

    def _inner_settings(self) -> RegionSettings:
        """The settings of the smaller regions that a split makes."""
        within = f"{self.settings.within}{self.region.id}."
        return replace(self.settings, splits=self.settings.splits - 1, within=within)

    def _give_up(self, metas: Signature, text: str, error: CompileError) -> Outcome:
        """Leave the region, or only the op at fault, to the host, with a message in the log."""
        op_at_fault = self._op_at_fault(metas, error)
        if op_at_fault is None:
            outcome = Outcome("host", reason=str(error))
            place = "on the host"
        else:
            outcome = Outcome("split", reason=str(error), without=(op_at_fault,))
            place = f"without op {op_at_fault!r}"
        kind = error.kind if isinstance(error, _NoModelError) else "compiling"
        # A failure in a region of a split comes after the warning about the split.
        is_unsplit = self.settings.splits == MAX_SPLITS
        level = self.settings.failures.level((self.region.device.name, kind)) if is_unsplit else logging.INFO
        reason = outcome.reason.removeprefix(f"{self.name}: ")
        log.log(level, "%s runs %s for %s: %s", self.name, place, text, reason)
        return outcome

    def _op_at_fault(self, metas: Signature, error: CompileError) -> str | None:
        """The op to leave out of a second attempt; None if there is no such op."""
        if not self.settings.splits or len(self.region.graph) <= 1:
            return None
        failing = error.op
        if failing is None and not isinstance(error, _NoModelError):
            failing = find_failing_op(self.region, metas, self._compile)
        labels = {value.label: node.label for node in self.region.graph for value in node.all_outputs()}
        return None if failing is None else labels.get(failing)


def signature_text(metas: Sequence[Meta]) -> str:
    """``float32[1,3,64,64], int32[2] = [64, 64]``, with the elements that shapes depend on."""
    return ", ".join(_meta_text(meta) for meta in metas) or "no inputs"


def _meta_text(meta: Meta) -> str:
    text = f"{meta.dtype}{shape_text(meta.shape)}"
    return text if meta.value is None else f"{text} = {np.array2string(meta.value, separator=', ')}"


def _elements(meta: Meta) -> bytes | None:
    """The elements that are known before the run; shapes may depend on them."""
    return None if meta.value is None else meta.value.tobytes()
