"""Predictor: a model that is ready to run."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from lite.config import CPU, Config
from lite.errors import ConfigError, InputError
from lite.io.load import load_program
from lite.ir.program import Program
from lite.ir.types import HOST, Array, Lod, Place
from lite.plan import ValueInfo
from lite.runtime import PlanState, Runtime
from lite.runtime.partial import PartRuntimes
from lite.runtime.run_guard import RunGuard
from lite.runtime.threads import RunThreads
from lite.session.arguments import ModelInputs, name_at, require_list, require_mapping, require_name
from lite.session.build import build, optimize
from lite.session.built import Built
from lite.session.handles import InputHandle, OutputHandle
from lite.session.inputs import InputSpec, checked_input, checked_lod, checked_output
from lite.session.region_report import engines_of, reported
from lite.subgraph.report import PlacementReport

# Few programs use these; methods import them when called.
if TYPE_CHECKING:
    from lite.runtime.observe.memory_use import MemoryUse
    from lite.runtime.observe.profile import Profile
    from lite.runtime.observe.value_statistics import Statistics
    from lite.runtime.observe.watch import Callback
    from lite.runtime.plan_state import MakeEngine
    from lite.runtime.regions.settings import RegionSettings

T = TypeVar("T")


def create_predictor(config: Config) -> Predictor:
    """Load, optimise and plan a model.

    Raises `ModelParseError`, `GraphError`, `PassError` or `ConfigError`; see each.  An unavailable device
    is a `CompileError` with ``Config(fallback="error")``; otherwise the host does its work.
    """
    if not isinstance(config, Config):
        raise ConfigError(f"create_predictor: expected a lite.Config, got {config!r}")
    return Predictor(config, build(config))


class Predictor:
    """Runs one model, one run at a time; make a `clone` for each further thread.

    Input arrays may be read-only, non-contiguous, 0-D or empty; a run never writes to them.  The arrays
    that it returns belong to the caller.
    """

    def __init__(self, config: Config, built: Built) -> None:
        self.config = config
        self.pass_records = list(built.records)
        self._origin = built.origin
        self._placed = built.placed
        plan = built.plan
        own_threads = any(place.target == CPU for place in config.places)
        threads = RunThreads(config.threads, config.precision, own_threads=own_threads)
        self._packs = built.packs
        self._regions = _region_settings(config, built, threads)
        self._state = PlanState(
            plan,
            _make_engine(self._regions),
            None if built.packs is None else built.packs.main_block(),
        )
        self._memory = built.memory
        # Every change of the thread count wakes BLAS's threads: not where devices do all the work.
        only_regions = all(item.region is not None for item in plan.instructions)
        self._limit: AbstractContextManager[None] = (
            nullcontext() if only_regions and plan.instructions else threads
        )
        self._inputs = ModelInputs(built.inputs)
        self._output_names = list(built.output_names)
        self._make_own_state()

    @classmethod
    def of_program(cls, program: Program, config: Config) -> Predictor:
        """A predictor of a program in memory; the model that `config` names is not read."""
        return cls(config, optimize(program, config).built(config))

    def _make_own_state(self) -> None:
        """Make what clones do not share."""
        self._runtime = Runtime(self._state, self._memory)
        self._parts = PartRuntimes(self._state, self._memory)
        self._running = RunGuard(self._limit, self._packs)
        self._fed: dict[str, tuple[Array, Lod]] = {}
        self._results: dict[str, tuple[Array, Lod]] = {}

    @property
    def input_names(self) -> list[str]:
        """Names of the inputs, in the model's order."""
        return self._inputs.names

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
        values, found_lods = self._inputs.gather(inputs, lods, self._fed)
        given = {} if outputs is None else self._wanted(outputs)
        names = self._state.plan.result_names
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
        plan, parts = self._state.plan, self._parts
        require_mapping("inputs", inputs)
        given = {parts.given(name): name for name in inputs}
        wanted = {name: parts.wanted(name) for name in require_list("outputs", outputs, "a list of names")}
        values = {index: self._checked(plan.values[index], inputs[given[index]]) for index in sorted(given)}
        offsets: dict[int, Lod] = {}
        for name, lod in require_mapping("lods", {} if lods is None else lods).items():
            index = parts.given(require_name(name, list(inputs), "given value"))
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
        for name in require_mapping("shapes", shapes):
            require_name(name, self.input_names, "input")
        values, lods = self._inputs.gather(self._inputs.zeros(shapes), None, {})
        listeners = [] if self._regions is None else self._regions.listeners
        with self._running:
            if progress is not None:
                listeners.append(progress)
            try:
                self._runtime.prepare(values, lods)
            finally:
                if progress is not None:
                    listeners.remove(progress)

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

        values, found_lods = self._inputs.gather(inputs, lods, self._fed)
        with self._limit:
            return profile_runs(self._state, self._memory, values, found_lods, runs, warmup)

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

        values, found_lods = self._inputs.gather(inputs, lods, self._fed)
        with self._limit:
            results = watch(self._state, self._memory, callback, values, found_lods)
        by_name = dict(zip(self._state.plan.result_names, results, strict=True))
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
        return reported(self._placed, self._state)

    def explain_cache(self) -> dict[str, dict[str, str]]:
        """What the cache had of each region for each signature bound so far, by both.

        That is a hit, or in what the nearest entry differs.  Empty without `Config.cache_dir`.
        """
        return {
            engine.name: dict(engine.cache_notes) for engine in engines_of(self._state) if engine.cache_notes
        }

    def clone(self) -> Predictor:
        """Another predictor of the same model for another thread; weights and plan are shared."""
        twin = copy.copy(self)
        twin._make_own_state()
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
            graph = optimize(program, replace(self.config, valid_places=[HOST])).graph
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
        name = name_at(which, self.input_names, "input")
        return InputHandle(self._inputs.specs[name], self._fed)

    def get_output(self, which: int | str) -> OutputHandle:
        """A handle on an output or kept variable; raises `InputError` when there is none."""
        names = self._state.plan.result_names if isinstance(which, str) else self._output_names
        return OutputHandle(name_at(which, names, "output"), self.get, self.get_lod)

    def _checked(self, info: ValueInfo, array: Array) -> Array:
        """`array` for a value; of one inside the model only the dtype, shapes are inferred."""
        inner = InputSpec(info.name, info.dtype, None)
        return array if info.is_array else checked_input(self._inputs.specs.get(info.name, inner), array)

    def _wanted(self, outputs: Mapping[str, Array]) -> dict[int, Array]:
        names = self._state.plan.result_names
        arrays: dict[str, Array] = {}
        for name, array in require_mapping("outputs", outputs).items():
            checked_output(require_name(name, names, "output"), array, arrays)
            arrays[name] = array
        return {names.index(name): array for name, array in arrays.items()}

    def _result(self, name: str) -> tuple[Array, Lod]:
        require_name(name, self._state.plan.result_names, "output or kept variable")
        if name not in self._results:
            raise InputError(f"{name!r} has no value yet; run the predictor first")
        return self._results[name]


def _region_settings(config: Config, built: Built, threads: RunThreads) -> RegionSettings | None:
    """How the regions of a plan run; None for a plan without regions."""
    if not built.plan.has_regions:
        return None
    from lite.session.region_settings import region_settings  # most plans have no regions

    return region_settings(config, built.context, threads)


def _make_engine(settings: RegionSettings | None) -> MakeEngine | None:
    if settings is None:
        return None
    from lite.runtime.regions.engine import SubgraphEngine

    return partial(SubgraphEngine, settings=settings)
