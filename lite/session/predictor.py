"""Predictor: a model that is ready to run."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar

import numpy as np

from lite.config import CPU, Config
from lite.errors import ConfigError, InputError, suggest
from lite.io.load import load_program
from lite.ir.build import fetched_names
from lite.ir.graph import Graph
from lite.ir.program import Program
from lite.ir.types import HOST, NO_LOD, Array, Lod, Place, is_known
from lite.passes.base import PassContext
from lite.passes.manager import PassRecord
from lite.plan import ValueInfo
from lite.runtime import Runtime, Shared
from lite.runtime.partial import PartRuntimes
from lite.runtime.run_guard import OneRun
from lite.runtime.threads import BlasLimit, RunThreads
from lite.session.build import optimize
from lite.session.handles import InputHandle, OutputHandle
from lite.session.inputs import InputSpec, checked_input, checked_lod, checked_output
from lite.session.region_report import engines_of, listening, reported
from lite.subgraph.report import PlacementReport

# What only some ask of a predictor is imported when they do.
if TYPE_CHECKING:
    from lite.cache.packed_weights import PackedWeights
    from lite.runtime.observe.memory_use import MemoryUse
    from lite.runtime.observe.profile import Profile
    from lite.runtime.observe.value_statistics import Statistics
    from lite.runtime.observe.watch import Callback
    from lite.runtime.regions.engine import RegionSettings

T = TypeVar("T")


def create_predictor(config: Config) -> Predictor:
    """Load, optimise and plan a model.

    Raises `ModelParseError`, `GraphError`, `PassError` or `ConfigError`; see each.  A device that cannot
    be used is a `CompileError` with ``Config(fallback="error")``; otherwise the host does its work.
    """
    if not isinstance(config, Config):
        raise ConfigError(f"create_predictor: expected a lite.Config, got {config!r}")
    if config.cache_dir is not None and not config.debug and config.dot_dir is None:
        from lite.session.plan_cache import planned

        found = planned(config)
        return Predictor(config, found.graph, found.ctx, found.records, found.packs)
    program = load_program(config)
    # What is folded is small: more threads would wait for each other longer than they work.
    with BlasLimit(1):
        graph, ctx, records = optimize(program, config)
    return Predictor(config, graph, ctx, records)


class Predictor:
    """Runs one model, one run at a time; make a `clone` for each further thread.

    A run may be given arrays that are read-only, non-contiguous, 0-D or empty; they are never
    written.  Arrays that come back are the caller's.
    """

    def __init__(
        self,
        config: Config,
        graph: Graph,
        ctx: PassContext,
        records: Sequence[PassRecord],
        packs: PackedWeights | None = None,
    ) -> None:
        if ctx.plan is None:
            raise ConfigError("the pass list made no plan; it must end with generate_program_pass")
        self.config = config
        self.pass_records = list(records)
        self._origin = (graph, ctx.program) if config.debug else None
        self._placed = ctx.placed
        own_threads = any(place.target == CPU for place in config.places)
        threads = RunThreads(config.threads, config.precision, own_threads=own_threads)
        self._packs = packs
        self._shared = Shared(
            ctx.plan, _region_settings(config, ctx, threads), None if packs is None else packs.of_block()
        )
        self._memory = ctx.plan_memory
        # BLAS's threads are woken by every change of their number: not where devices do all the work.
        only_regions = all(item.region is not None for item in ctx.plan.instructions)
        self._limit: AbstractContextManager[None] = (
            nullcontext() if only_regions and ctx.plan.instructions else threads
        )
        self._specs = {arg.name: InputSpec.of(arg, config.input_shapes.get(arg.name)) for arg in graph.args}
        self._output_names = fetched_names(ctx.program)
        self._own_what_is_not_shared()

    def _own_what_is_not_shared(self) -> None:
        self._runtime = Runtime(self._shared, self._memory)
        self._parts = PartRuntimes(self._shared, self._memory)
        self._running = OneRun(self._limit, self._packs)
        self._fed: dict[str, tuple[Array, Lod]] = {}
        self._results: dict[str, tuple[Array, Lod]] = {}

    @property
    def input_names(self) -> list[str]:
        """Names of the inputs, in the model's order."""
        return list(self._specs)

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs, in the model's order."""
        return list(self._output_names)

    def run(
        self,
        inputs: Mapping[str, Array] | Sequence[Array] | None = None,
        outputs: Mapping[str, Array] | None = None,
        lods: Mapping[str, Sequence[Sequence[int]]] | None = None,
    ) -> dict[str, Array]:
        """Run the model once; the outputs by name.

        `inputs` are arrays by name, or all of them in order; without it, what the input handles were
        given.  `outputs` are arrays that results are written to: writeable, of the result's shape and
        dtype, none over another.  `lods` are LoD offsets by input.

        Raises `InputError` for missing or unknown names, wrong dtypes, ranks and fixed dimensions, LoDs
        and output arrays that do not fit, and `ExecutionError` when an op fails or a run is still going
        on in another thread.  A device that fails is an `ExecutionError` or `CompileError` with
        ``Config(fallback="error")``; otherwise the host answers.
        """
        values, found_lods = self._gather(inputs, lods)
        given = {} if outputs is None else self._wanted(outputs)
        names = self._shared.plan.result_names
        with self._running:
            results, result_lods = self._runtime.run(values, found_lods, given)
            found = dict(zip(names, zip(results, result_lods, strict=True), strict=True))
            self._results = found
        return {name: found[name][0] for name in self._output_names}

    def run_part(
        self,
        inputs: Mapping[str, Array],
        outputs: Sequence[str],
        lods: Mapping[str, Sequence[Sequence[int]]] | None = None,
    ) -> dict[str, Array]:
        """Run only what leads from the values `inputs` to the values `outputs`; these by name.

        Values are called by the names of their variables, ``name#1`` and so on where one is written
        again; an input's or output's name is that input or output.  There are those that the passes
        left: `Config.keep` saves others, ``Config(passes=[])`` all.  A part is planned at the first
        run with these names and kept; weights are shared with the whole.  `get` is not changed.

        Raises `InputError` for names that are no values, a wrong dtype, and outputs that depend on an
        input of the model that is not given, and `ExecutionError` as `run` does.
        """
        plan, parts = self._shared.plan, self._parts
        _require_mapping("inputs", inputs)
        given = {parts.given(name): name for name in inputs}
        wanted = {name: parts.wanted(name) for name in _require_list("outputs", outputs, "a list of names")}
        values = {index: self._checked(plan.values[index], inputs[given[index]]) for index in sorted(given)}
        offsets: dict[int, Lod] = {}
        for name, lod in _require_mapping("lods", {} if lods is None else lods).items():
            index = parts.given(_known(name, list(inputs), "given value"))
            offsets[index] = checked_lod(name, lod)
        with self._running:
            results = parts.run(values, tuple(wanted.values()), offsets)
        return dict(zip(wanted, results, strict=True))

    def prepare(
        self, shapes: Mapping[str, Sequence[int]], progress: Callable[[str], None] | None = None
    ) -> None:
        """Bind the model for inputs of these shapes, so that the first run with them is not slower.

        Devices build or load their models now; `progress` is called with a sentence before each.  An
        input whose shape the model fixes may be left out.  Raises `InputError` for names, ranks and sizes
        that the model does not take, `GraphError` where they do not fit its ops, and `CompileError` as
        `run` does.
        """
        for name in _require_mapping("shapes", shapes):
            _known(name, self.input_names, "input")
        values, lods = self._gather({name: self._zeros(name, shapes) for name in self._specs}, None)
        listeners = [] if progress is None else [progress]
        with self._running, listening(self._shared, listeners):
            self._runtime.prepare(values, lods)

    def profile(
        self,
        inputs: Mapping[str, Array] | Sequence[Array] | None = None,
        lods: Mapping[str, Sequence[Sequence[int]]] | None = None,
        *,
        runs: int = 10,
        warmup: int = 2,
    ) -> Profile:
        """How long each op takes, over `runs` runs behind `warmup` others; arguments as for `run`.

        Buffers and bound steps are separate ones, so that `run` is not slower and `get` not changed.
        """
        from lite.runtime.observe.profiler import profile_runs

        values, found_lods = self._gather(inputs, lods)
        with self._limit:
            return profile_runs(self._shared, self._memory, values, found_lods, runs, warmup)

    def observe(
        self,
        callback: Callback,
        inputs: Mapping[str, Array] | Sequence[Array] | None = None,
        lods: Mapping[str, Sequence[Sequence[int]]] | None = None,
    ) -> dict[str, Array]:
        """Run once like `run`, and call back with an `Observation` of each value when it was written.

        Its array is the engine's buffer: copy it, or take from it what is wanted, at once.
        """
        from lite.runtime.observe.watch import watch

        values, found_lods = self._gather(inputs, lods)
        with self._limit:
            results = watch(self._shared, self._memory, callback, values, found_lods)
        by_name = dict(zip(self._shared.plan.result_names, results, strict=True))
        return {name: by_name[name] for name in self.output_names}

    def statistics(
        self,
        inputs: Mapping[str, Array] | Sequence[Array] | None = None,
        lods: Mapping[str, Sequence[Sequence[int]]] | None = None,
    ) -> Statistics:
        """Range, NaN and infinities of every value of one run, and the op where they come from."""
        from lite.runtime.observe.value_statistics import Statistics

        found = Statistics()
        self.observe(found.see, inputs, lods)
        return found

    def report(self) -> PlacementReport:
        """Where each op runs and why, and what became of the regions in the runs so far."""
        return reported(self._placed, self._shared)

    def explain_cache(self) -> dict[str, dict[str, str]]:
        """What the cache had of each region for each signature bound so far, by both.

        That is a hit, or in what the nearest entry differs.  Empty without `Config.cache_dir`.
        """
        return {
            engine.name: dict(engine.cache_notes) for engine in engines_of(self._shared) if engine.cache_notes
        }

    def clone(self) -> Predictor:
        """Another predictor of the same model for another thread; weights and plan are shared."""
        twin = copy.copy(self)
        twin._own_what_is_not_shared()
        return twin

    def memory(self) -> MemoryUse:
        """The bytes that this predictor holds after its runs so far, and what lies where."""
        from lite.runtime.observe.memory_use import memory_use

        return memory_use([self._runtime, *self._parts.runtimes])

    def optimized_program(self) -> Program:
        """What the passes made of the model, as a program that can be saved and loaded.

        Loading it picks kernels and plans memory anew: it is said for the host, images in NCHW.  A
        predictor keeps no program, except with `Config.debug`, so the model is read and optimised once
        more.  Raises `GraphError` for what no program says, and what `create_predictor` raises.
        """
        from lite.ir.lower import lower_graph

        if self._origin is None or self.config.places != (Place(HOST),):
            program = load_program(self.config)
            graph = optimize(program, replace(self.config, valid_places=[HOST]))[0]
        else:
            graph, program = self._origin
        return lower_graph(graph, program, self._output_names)

    def get(self, name: str) -> Array:
        """What the last run computed for an output or a kept variable; raises `InputError` otherwise."""
        return self._result(name)[0]

    def get_lod(self, name: str) -> Lod:
        """The LoD of an output or a kept variable of the last run; raises `InputError` otherwise."""
        return self._result(name)[1]

    def get_input(self, which: int | str) -> InputHandle:
        """A handle on an input, by position or name; raises `InputError` when there is none."""
        name = _named(which, self.input_names, "input")
        return InputHandle(self._specs[name], self._fed)

    def get_output(self, which: int | str) -> OutputHandle:
        """A handle on an output or kept variable; raises `InputError` when there is none."""
        names = self._shared.plan.result_names if isinstance(which, str) else self._output_names
        return OutputHandle(_named(which, names, "output"), self.get, self.get_lod)

    def _checked(self, info: ValueInfo, array: Array) -> Array:
        """`array` for a value; of one inside the model only the dtype, shapes are inferred."""
        inner = InputSpec(info.name, info.dtype, None)
        return array if info.is_array else checked_input(self._specs.get(info.name, inner), array)

    def _zeros(self, name: str, shapes: Mapping[str, Sequence[int]]) -> Array:
        """An input of a given shape that takes no memory."""
        spec = self._specs[name]
        shape: Sequence[Any] | None = shapes.get(name, spec.shape if is_known(spec.shape) else None)
        if shape is None:
            raise InputError(f"prepare: the shape of input {name!r} is missing")
        try:
            return np.broadcast_to(np.zeros((), spec.numpy_dtype), tuple(shape))
        except (TypeError, ValueError) as error:
            raise InputError(
                f"prepare: input {name!r}: {shape!r} is no shape of an array: {error}"
            ) from error

    def _gather(
        self,
        inputs: Mapping[str, Array] | Sequence[Array] | None,
        lods: Mapping[str, Sequence[Sequence[int]]] | None,
    ) -> tuple[list[Array], list[Lod]]:
        if lods is None and isinstance(inputs, dict) and inputs.keys() == self._specs.keys():
            arrays = [checked_input(spec, inputs[name]) for name, spec in self._specs.items()]
            return arrays, [NO_LOD] * len(arrays)
        names = self.input_names
        found: dict[str, Sequence[Sequence[int]]] = {}
        if inputs is None:
            given = {name: array for name, (array, _) in self._fed.items()}
            found.update((name, lod) for name, (_, lod) in self._fed.items())
        elif isinstance(inputs, Mapping):
            given = dict(inputs)
        else:
            if len(_require_list("inputs", inputs, "a dict by name or a list in order")) != len(names):
                raise InputError(
                    f"the model takes {len(names)} inputs ({', '.join(names)}), got {len(inputs)}"
                )
            given = dict(zip(names, inputs, strict=True))
        for name in given:
            _known(name, names, "input")
        missing = [name for name in names if name not in given]
        if missing:
            raise InputError(f"inputs are missing: {', '.join(missing)}; the model takes {', '.join(names)}")
        for name, lod in _require_mapping("lods", {} if lods is None else lods).items():
            found[_known(name, names, "input")] = lod
        arrays = [checked_input(self._specs[name], given[name]) for name in names]
        checked = {name: checked_lod(name, lod) for name, lod in found.items()}
        return arrays, [checked.get(name, NO_LOD) for name in names]

    def _wanted(self, outputs: Mapping[str, Array]) -> dict[int, Array]:
        names = self._shared.plan.result_names
        arrays: dict[str, Array] = {}
        for name, array in _require_mapping("outputs", outputs).items():
            checked_output(_known(name, names, "output"), array, arrays)
            arrays[name] = array
        return {names.index(name): array for name, array in arrays.items()}

    def _result(self, name: str) -> tuple[Array, Lod]:
        _known(name, self._shared.plan.result_names, "output or kept variable")
        if name not in self._results:
            raise InputError(f"{name!r} has no value yet; run the predictor first")
        return self._results[name]


def _region_settings(config: Config, ctx: PassContext, threads: RunThreads) -> RegionSettings | None:
    """How the regions of a plan are run; None where there are none."""
    if ctx.plan is None or not ctx.plan.has_regions:
        return None
    from lite.session.region_settings import region_settings

    return region_settings(config, ctx, threads)


def _known(name: str, names: Sequence[str], what: str) -> str:
    """`name` if it is among `names`; raises `InputError` otherwise."""
    if name not in names:
        near = suggest(str(name), names)
        raise InputError(f"the model has no {what} {name!r}{near}; it has {list(names)}")
    return name


def _named(which: int | str, names: Sequence[str], what: str) -> str:
    """The name at a position, or the name itself; raises `InputError` when there is none."""
    if not isinstance(which, SupportsIndex):
        return _known(which, names, what)
    position = operator.index(which)
    if not 0 <= position < len(names):
        raise InputError(f"the model has {len(names)} {what}s, got number {position}")
    return names[position]


def _require_mapping(what: str, given: Mapping[str, T]) -> Mapping[str, T]:
    if not isinstance(given, Mapping):
        raise InputError(f"{what}: expected a dict by name, got a {type(given).__name__}")
    return given


def _require_list(what: str, given: Sequence[T], expected: str) -> Sequence[T]:
    if not isinstance(given, list | tuple):
        raise InputError(f"{what}: expected {expected}, got a {type(given).__name__}")
    return given
