"""Predictor: a model that is ready to run, and create_predictor, which makes one.

Longer than 400 lines: the public methods of one class, half of them documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lite.artifact.sniff import is_artifact
from lite.config import CPU, Config
from lite.errors import ConfigError, InputError
from lite.ir.types import Array, Lod
from lite.runtime.output_arrays import plain_results
from lite.runtime.paused_collector import paused_collector
from lite.runtime.run_guard import RunGuard
from lite.session.arguments import (
    name_at,
    require_list,
    require_mapping,
    require_mappings,
    require_name,
)
from lite.session.background import Background
from lite.session.built import Built, PredictorParts, Prepared
from lite.session.cloned import ClonedByCopy
from lite.session.early_answers import HostModel, answers_early
from lite.session.handles import InputHandle, OutputHandle
from lite.session.inputs import InputSpec, check_output, checked_input, checked_lod
from lite.session.runs import Runs
from lite.session.shared_model import SharedModel

# Few programs use these modules, or all but a start by stored runs: methods import them when called.
if TYPE_CHECKING:
    from concurrent.futures import Future

    from lite.ir.program import Program
    from lite.passes.manager import PassRecord
    from lite.plan import ValueInfo
    from lite.plugin.kernel.compilation import KernelTask
    from lite.runtime.executor import Runtime
    from lite.runtime.observe.memory_use import MemoryUse
    from lite.runtime.observe.profile import Profile
    from lite.runtime.observe.value_statistics import Statistics
    from lite.runtime.observe.watch import Callback
    from lite.runtime.plan_state import PlanState
    from lite.runtime.regions.built_model import BuiltModel
    from lite.runtime.stored_run import StoredRun
    from lite.session.compilation import Compilation
    from lite.session.own_runtimes import OwnRuntimes
    from lite.subgraph.report import PlacementReport


def create_predictor(config: Config) -> Predictor:
    """Load, optimise and plan the model of a Config; returns a predictor that is ready to run.

    With `Config.cache_dir`, a second start takes the plan from the cache instead.  Raises

    - `ModelParseError` for a model file that is missing or damaged,
    - `GraphError` for a model with unsupported ops, or with shapes that do not fit its ops,
    - `ConfigError` for unknown devices, passes and options, and for `input_shapes` of unknown inputs,
    - `PassError` for a pass list in a wrong order, and
    - `CompileError` for an unavailable device with ``Config(fallback="error")``; without that, the host does
      the device's work.
    """
    if not isinstance(config, Config):
        raise ConfigError(f"create_predictor: expected a lite.Config, got {config!r}")
    built: Built | Prepared
    with paused_collector():
        if is_artifact(config.source):
            from lite.session.load_artifact import load_artifact

            built = load_artifact(config)
        else:
            from lite.session.build import build

            built = build(config)
        return Predictor(built.config or config, built)


class Predictor(ClonedByCopy):
    """A model that is ready to run; made by `create_predictor`.

    >>> predictor = lite.create_predictor(lite.Config("model_dir"))    # doctest: +SKIP
    >>> outputs = predictor.run({"x": array})                          # doctest: +SKIP
    >>> outputs["y"].shape                                             # doctest: +SKIP
    (1, 1000)

    **Inputs** are numpy arrays of the dtype that the model declares (float32 if it declares none); read-only,
    non-contiguous, 0-D and empty arrays, too.  Arrays of another dtype are refused, never converted.  Nested
    lists and scalars become arrays of the input's dtype, if that can represent them.  A run never writes to
    its inputs.

    **Shapes** may change from run to run where the model leaves sizes open.  The first run with new shapes is
    slower, as it binds the model to them; `prepare` does so ahead.  The 16 sets of shapes used last stay
    bound.

    **Results** belong to the caller: no later run changes them.

    **Threads**: a predictor executes one run at a time, and a second thread that enters it gets an
    `ExecutionError`.  Make a `clone` for each further thread; clones share weights and compiled models.
    """

    def __init__(self, config: Config, built: Built | Prepared, program: Program | None = None) -> None:
        self.config = config
        self._model = SharedModel(config, built, program)
        self._inputs = self._model.inputs
        self._output_names = self._model.output_names
        self._host_model = None
        if answers_early(config):
            self._host_model = HostModel(config, self._model.artifact, program, _created)
        self._make_private_state()

    @classmethod
    def of_program(cls, program: Program, config: Config) -> Predictor:
        """A predictor of a program in memory; the model that `config` names is not read."""
        from lite.session.build import optimize

        return cls(config, optimize(program, config).built(config), program)

    def _make_private_state(self) -> None:
        """Make the state that clones do not share."""
        self._guard = RunGuard(self._model.threads, self._model.packs)
        self._background: Background[Predictor] = Background()
        self._fed: dict[str, tuple[Array, Lod]] = {}
        self._runs = Runs(self._model, self._guard, self._host_model)

    @property
    def _runtimes(self) -> OwnRuntimes:
        return self._runs.runtimes

    @property
    def _state(self) -> PlanState:
        return self._model.loaded.state

    @property
    def _runtime(self) -> Runtime:
        return self._runtimes.whole

    @property
    def pass_records(self) -> list[PassRecord]:
        """What each pass did; empty for a plan from the cache."""
        return list(self._model.loaded.records)

    @property
    def input_names(self) -> list[str]:
        """The names of the inputs, in the model's order."""
        return self._inputs.names

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs, in the model's order."""
        return list(self._output_names)

    def run(
        self,
        inputs: Mapping[str, Array] | Sequence[Array] | None = None,
        outputs: Mapping[str, Array] | None = None,
        lods: Mapping[str, Sequence[Sequence[int]]] | None = None,
    ) -> dict[str, Array]:
        """Run the model once; returns the outputs by name.

        inputs: arrays by name, or a list of all of them in the model's order.  None runs on the arrays that
            the input handles hold; see `get_input`.
        outputs: arrays to write results to, by output name.  Each must be writeable, have the shape and dtype
            of its result, and share no memory with another one.  It is returned as the result.  A run with
            fixed shapes and arrays for all outputs allocates no memory.  An input that new rows are joined to
            may be the first part of the array for the result: then only the new rows are written.
        lods: LoDs by input name: for each level the offsets of its sequences, as in ``[[0, 2, 5]]``.

        Raises `InputError` for unknown or missing names, wrong dtypes and shapes, invalid LoDs, and output
        arrays that do not fit; `GraphError` for shapes that the model's ops do not take; and `ExecutionError`
        when an op fails, memory is exhausted, or another thread runs this predictor.  With
        ``Config(fallback="error")``, a device's failure is an `ExecutionError` or `CompileError`; otherwise
        the host takes over.
        """
        has_lods = lods is not None and (type(lods) is not dict or bool(lods))
        if (type(inputs) is dict or type(inputs) is list) and outputs is None and not has_lods:
            results = self._runs.again(inputs)
            if results is not None:
                return results
        values, input_lods = self._inputs.gather(inputs, lods, self._fed)
        return self._runs.by_plan(values, input_lods, {} if outputs is None else self._output_arrays(outputs))

    def answer(
        self, values: Sequence[Any], lods: Sequence[Lod], outputs: Mapping[int, Array]
    ) -> tuple[list[Any], list[Lod]]:
        """`run` for a predictor of the same model, which has checked the arguments."""
        return self._runs.answer(values, lods, outputs)

    @property
    def compilation(self) -> Compilation:
        """Which kernels are not compiled yet, so that the host's kernels answer; see `Config.compilation`."""
        from lite.session.compilation import Compilation

        return Compilation() if self._runtimes.early is None else self._runtimes.early.state()

    def missing_kernels(self, shapes: Mapping[str, Sequence[int]]) -> list[KernelTask]:
        """The kernels that would have to be compiled for inputs of these shapes, as far as they are known.

        Those of loops and branches are not.  Raises what `prepare` raises for its shapes.
        """
        if all(place.target != CPU for place in self.config.places):
            return []
        from lite.session.missing_kernels import missing_kernels

        values, lods = self._inputs.gather(self._inputs.zeros(shapes), None, {})
        self._model.check_files()
        return self._guard.call(missing_kernels, self._state, self._model.loaded.memory, values, lods)

    def run_async(
        self,
        inputs: Mapping[str, Array] | Sequence[Array],
        lods: Mapping[str, Sequence[Sequence[int]]] | None = None,
    ) -> Future[dict[str, Array]]:
        """Run the model once in another thread; the Future has what `run` returns, or raises what it raises.

        The runs take place in the order of the calls on a clone: `run` may be called meanwhile, and `get` is
        not affected.  The arrays must not change before their run has ended.
        """
        return self._background.submit(self.clone, lambda clone: clone.run(inputs, lods=lods))

    def stream(
        self, inputs: Iterable[Mapping[str, Array] | Sequence[Array]], depth: int = 2
    ) -> Iterator[dict[str, Array]]:
        """The outputs of a run for each element of `inputs`, in order, as an iterator.

        Up to `depth` runs go on at the same time, each on a clone of its own, which is kept for later
        streams: while a device runs a region for one element, other places work for the next ones.  An
        element is taken only when fewer than `depth` results are unread, and its arrays must not change
        before.  An error, of a run or of `inputs`, is raised in place of the result and ends the stream.

        Raises `InputError` for a `depth` below 1.
        """
        if not isinstance(depth, int) or depth < 1:
            raise InputError(f"stream: depth: expected 1 or more, got {depth!r}; 1 is one run at a time")
        return self._background.stream(self.clone, inputs, lambda clone, each: clone.run(each), depth)

    def run_part(
        self,
        inputs: Mapping[str, Array],
        outputs: Sequence[str],
        lods: Mapping[str, Sequence[Sequence[int]]] | None = None,
    ) -> dict[str, Array]:
        """Run only the ops between the values `inputs` and the values `outputs`; returns these by name.

        A value has the name of its variable.  Where a variable is written several times, the later values are
        ``name#1``, ``name#2`` and so on; the name of a model's input or output always means that input or
        output.  Values that the passes removed or fused are unknown: keep some with `Config.keep`, or all
        with ``Config(passes=[])``.  A part is planned at its first run, and shares the weights of the model.
        The results of `get` do not change.

        Raises `InputError` for unknown names, for wrong dtypes, and for outputs that depend on an input of
        the model that is missing in `inputs`; otherwise as `run` does.
        """
        plan, parts = self._state.plan, self._runtimes.parts
        require_mapping("inputs", inputs)
        names = {parts.input_index(name): name for name in inputs}
        indices = {
            name: parts.output_index(name) for name in require_list("outputs", outputs, "a list of names")
        }
        values = {index: self._checked(plan.values[index], inputs[names[index]]) for index in sorted(names)}
        offsets: dict[int, Lod] = {}
        for name, lod in require_mapping("lods", {} if lods is None else lods).items():
            index = parts.input_index(require_name(name, list(inputs), "input", "this part"))
            offsets[index] = checked_lod(name, lod)
        self._model.check_files()
        results = self._guard.call(parts.run, values, tuple(indices.values()), offsets)
        return dict(zip(indices, plain_results(results), strict=True))

    def prepare(
        self,
        shapes: Mapping[str, Sequence[int]] | Sequence[Mapping[str, Sequence[int]]],
        progress: Callable[[str], None] | None = None,
    ) -> None:
        """Bind the model to input shapes, so that the first run with them is as fast as later ones.

        shapes: shapes by input name, such as ``{"x": (1, 3, 224, 224)}``, or a list of such sets.  Inputs
            with fixed shapes may be left out.  Devices whose models can share weights between regions and
            sets of shapes do so for those of one call.
        progress: called with a sentence before a device builds a model, which may take long.

        Raises `InputError` for unknown names and for shapes that the inputs do not take, `GraphError` for
        shapes that the model's ops do not take, and `CompileError` as `run` does.
        """
        sets = require_mappings("shapes", shapes)
        for name in {name: None for each in sets for name in each}:
            require_name(name, self.input_names, "input")
        prepared = [self._inputs.gather(self._inputs.zeros(each), None, {}) for each in sets]
        from lite.session.region_engines import compile_regions

        listeners = [] if self._model.loaded.regions is None else self._model.loaded.regions.listeners
        self._model.check_files()

        def bind() -> None:
            if progress is not None:
                listeners.append(progress)
            try:
                if self._model.loaded.regions is not None:
                    compile_regions(self._state, self._runtime, [values for values, _ in prepared])
                for values, lods in prepared:
                    self._runtime.prepare(values, lods)
            finally:
                if progress is not None:
                    listeners.remove(progress)

        self._guard.call(bind)

    def profile(
        self,
        inputs: Mapping[str, Array] | Sequence[Array] | None = None,
        lods: Mapping[str, Sequence[Sequence[int]]] | None = None,
        *,
        runs: int = 10,
        warmup: int = 2,
    ) -> Profile:
        """Measure the time of each op over `runs` runs, after `warmup` others; arguments as for `run`.

        The runs use buffers of their own: they do not change the results of `get`, or slow down `run`.
        Raises `ConfigError` for fewer than 1 run, and what `run` raises.
        """
        from lite.runtime.observe.profiler import profile_runs

        values, input_lods = self._inputs.gather(inputs, lods, self._fed)
        return self._model.threads.call(
            profile_runs, self._state, self._model.loaded.memory, values, input_lods, runs, warmup
        )

    def observe(
        self,
        callback: Callback,
        inputs: Mapping[str, Array] | Sequence[Array] | None = None,
        lods: Mapping[str, Sequence[Sequence[int]]] | None = None,
    ) -> dict[str, Array]:
        """Run once like `run`, and call `callback` with an `Observation` of each value when it was written.

        The observed array is the engine's buffer, which later ops overwrite: copy it to keep it.  An error in
        the callback ends the run with an `ExecutionError`.
        """
        from lite.runtime.observe.watch import watch

        values, input_lods = self._inputs.gather(inputs, lods, self._fed)
        results = self._model.threads.call(
            watch, self._state, self._model.loaded.memory, callback, values, input_lods
        )
        by_name = dict(zip(self._state.plan.result_names, plain_results(results), strict=True))
        return {name: by_name[name] for name in self.output_names}

    def statistics(
        self,
        inputs: Mapping[str, Array] | Sequence[Array] | None = None,
        lods: Mapping[str, Sequence[Sequence[int]]] | None = None,
    ) -> Statistics:
        """Range, mean, NaN and infinities of every value of one run, and the op that first computes these."""
        from lite.runtime.observe.value_statistics import Statistics

        statistics = Statistics()
        self.observe(statistics.see, inputs, lods)
        return statistics

    def report(self) -> PlacementReport:
        """Where each op runs and why, and the state of each region after the runs so far."""
        from lite.session.region_report import runtime_report

        report = runtime_report(self._model.loaded.placed, self._state)
        if self._runtimes.early is not None:
            report.warnings += self._runtimes.early.state().sentences()
        return report

    def built_models(self) -> list[BuiltModel]:
        """What the devices built of each region, for each signature that was prepared or run.

        Raises `CompileError` where a device fails to write the files of a model.
        """
        from lite.runtime.regions.built_model import built_models
        from lite.session.region_report import engines_of

        return built_models(engines_of(self._state))

    def explain_cache(self) -> dict[str, dict[str, str]]:
        """By region and input signature: whether the device model came from the cache, or why not.

        The text is ``hit``, or names the parts in which the nearest entry's key differs.  Covers the runs so
        far; empty without `Config.cache_dir`.
        """
        from lite.session.region_report import engines_of

        return {
            engine.name: dict(engine.cache_notes) for engine in engines_of(self._state) if engine.cache_notes
        }

    def clone(self) -> Predictor:
        """A predictor of the same model for another thread; it shares weights, plan and compiled models.

        Input handles, results and buffers are its own.
        """
        twin = object.__new__(type(self))
        vars(twin).update(vars(self))
        twin._make_private_state()
        return twin

    def memory(self) -> MemoryUse:
        """The memory that this predictor holds after the runs so far, in bytes, and the layout of buffers."""
        from lite.runtime.observe.memory_use import memory_use

        return memory_use([self._runtime, *self._runtimes.parts.runtimes])

    def parts(self) -> PredictorParts:
        """What `save_artifact` stores."""
        return PredictorParts(
            list(self._inputs.specs.values()),
            self._output_names,
            self._state,
            self._model.loaded.memory,
            self._model.loaded.placed,
            {} if self._model.loaded.regions is None else self._model.loaded.regions.specs,
            self._model.artifact,
            self._model.program,
            self._runtime.bound_shapes(),
        )

    def stored_runs(self) -> list[StoredRun]:
        """A run for each set of input shapes for which the model is bound, as data for `save_artifact`.

        Only for models of which a run is nothing but launches of compiled functions; these are compiled.
        """
        from lite.session.stored_runs import stored_runs

        if not self._model.has_outputs_only or self._model.loaded.regions is not None:
            return []
        shapes = self._runtime.bound_shapes()
        return self._guard.call(
            stored_runs, self._state, self._model.loaded.memory, self._inputs, shapes, self.config.threads
        )

    def optimized_program(self) -> Program:
        """The optimised model as a program, which can be saved and loaded.

        It is optimised for the host, with images in NCHW; loading it picks kernels and plans memory again.
        Without `Config.debug` a predictor keeps no program, so this reads and optimises the model once more.
        Raises `GraphError` for a graph that no program can express, and what `create_predictor` raises.
        """
        from lite.session.build import optimize
        from lite.session.optimized_program import optimized_program

        names = self._output_names
        return optimized_program(
            self.config, self._model.loaded.origin, names, lambda *given: optimize(*given).graph
        )

    def get(self, name: str) -> Array:
        """The value of an output, or of a variable in `Config.keep`, in the last run.

        Raises `InputError` for an unknown name, and before the first run.
        """
        return self._runs.result(name)[0]

    def get_lod(self, name: str) -> Lod:
        """The LoD of an output or kept variable in the last run; raises `InputError` as `get` does."""
        return self._runs.result(name)[1]

    def get_input(self, which: int | str) -> InputHandle:
        """A handle to set an input, by position or name; raises `InputError` for an unknown input."""
        name = name_at(which, self.input_names, "input")
        return InputHandle(self._inputs.specs[name], self._fed)

    def get_output(self, which: int | str) -> OutputHandle:
        """A handle to read an output by position or name, or a kept variable by name.

        Raises `InputError` for an unknown output.
        """
        names = self._state.plan.result_names if isinstance(which, str) else self._output_names
        return OutputHandle(name_at(which, names, "output"), self.get, self.get_lod)

    def _checked(self, info: ValueInfo, array: Array) -> Array:
        """`array` as the value of a part's input; shapes of values inside the model are not checked."""
        inner = InputSpec(info.name, info.dtype, None)
        return array if info.is_array else checked_input(self._inputs.specs.get(info.name, inner), array)

    def _output_arrays(self, outputs: Mapping[str, Array]) -> dict[int, Array]:
        names = self._state.plan.result_names
        arrays: dict[str, Array] = {}
        for name, array in require_mapping("outputs", outputs).items():
            check_output(require_name(name, names, "output"), array, arrays)
            arrays[name] = array
        return {names.index(name): array for name, array in arrays.items()}


def _created(config: Config, program: Program | None) -> Predictor:
    """The predictor of a program, or of the Config's model."""
    return create_predictor(config) if program is None else Predictor.of_program(program, config)
