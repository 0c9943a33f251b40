"""Predictor: a model that is ready to run, and create_predictor, which makes one.

Longer than 400 lines: the public methods of one class, half of them documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lite.config import CPU, Config
from lite.errors import ConfigError, InputError
from lite.ir.program import Program
from lite.ir.types import NO_LOD, Array, Lod
from lite.plan import ValueInfo
from lite.runtime import PlanState, Runtime
from lite.runtime.direct_run import DirectRun
from lite.runtime.output_arrays import plain_results
from lite.runtime.partial import PartRuntimes
from lite.runtime.run_guard import RunGuard
from lite.runtime.threads import RunThreads, Threads
from lite.session.arguments import (
    ModelInputs,
    name_at,
    require_list,
    require_mapping,
    require_mappings,
    require_name,
)
from lite.session.background import Background
from lite.session.build import build, optimize
from lite.session.built import Built, PredictorParts
from lite.session.cloned import ClonedByCopy
from lite.session.early_answers import EarlyAnswers, HostModel, answers_early
from lite.session.handles import InputHandle, OutputHandle
from lite.session.inputs import InputSpec, check_output, checked_input, checked_lod
from lite.session.loaded_files import LoadedFiles
from lite.session.region_engines import compile_regions, make_engine, settings_of_plan
from lite.session.region_report import engines_of, runtime_report
from lite.subgraph.report import PlacementReport

# Few programs use these modules, so methods import them when they are called.
if TYPE_CHECKING:
    from concurrent.futures import Future

    from lite.plugin.kernel.compilation import KernelTask
    from lite.runtime.observe.memory_use import MemoryUse
    from lite.runtime.observe.profile import Profile
    from lite.runtime.observe.value_statistics import Statistics
    from lite.runtime.observe.watch import Callback
    from lite.runtime.regions.built_model import BuiltModel
    from lite.session.compilation import Compilation


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

    def __init__(self, config: Config, built: Built) -> None:
        self.config = config
        self.pass_records = list(built.records)
        """What each pass did; empty for a plan from the cache."""
        self._origin = built.origin
        self._placed = built.placed
        plan = built.plan
        own_threads = any(place.target == CPU for place in config.places)
        threads = RunThreads(config.threads, config.precision, own_threads=own_threads)
        self._packs = built.packs
        self._unread_files: LoadedFiles | None = built.files
        self._artifact = built.artifact
        self._program: Program | None = None
        self._regions = settings_of_plan(config, built, threads)
        self._state = PlanState(
            plan,
            make_engine(self._regions),
            None if built.packs is None else built.packs.main_block(),
            config.limits,
        )
        self._memory = built.memory
        # Changing the number of threads wakes those of BLAS, so it is not done where devices do all the work.
        only_regions = all(item.region is not None for item in plan.instructions)
        self._threads: Threads = Threads() if only_regions and plan.instructions else threads
        self._inputs = ModelInputs(built.inputs)
        self._output_names = list(built.output_names)
        self._host_model = HostModel(config, built.artifact, _created) if answers_early(config) else None
        self._has_outputs_only = self._output_names == [*plan.result_names]
        self._make_private_state()

    @classmethod
    def of_program(cls, program: Program, config: Config) -> Predictor:
        """A predictor of a program in memory; the model that `config` names is not read."""
        predictor = cls(config, optimize(program, config).built(config))
        predictor._program = program
        if predictor._host_model is not None:
            predictor._host_model.program = program
        return predictor

    def _make_private_state(self) -> None:
        """Make the state that clones do not share."""
        self._runtime = Runtime(self._state, self._memory)
        model = self._host_model
        self._early = None if model is None else EarlyAnswers(self._runtime, model)
        self._parts = PartRuntimes(self._state, self._memory)
        self._guard = RunGuard(self._threads, self._packs)
        self._background: Background[Predictor] = Background()
        self._fed: dict[str, tuple[Array, Lod]] = {}
        self._results: dict[str, tuple[Array, Lod]] = {}
        self._direct: DirectRun | None = None

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
            fixed shapes and arrays for all outputs allocates no memory.
        lods: LoDs by input name: for each level the offsets of its sequences, as in ``[[0, 2, 5]]``.

        Raises `InputError` for unknown or missing names, wrong dtypes and shapes, invalid LoDs, and output
        arrays that do not fit; `GraphError` for shapes that the model's ops do not take; and `ExecutionError`
        when an op fails, memory is exhausted, or another thread runs this predictor.  With
        ``Config(fallback="error")``, a device's failure is an `ExecutionError` or `CompileError`; otherwise
        the host takes over.
        """
        if (
            self._direct is not None
            and outputs is None
            and (lods is None or (type(lods) is dict and not lods))
            and (type(inputs) is dict or type(inputs) is list)
        ):
            direct = self._guard.call_short(self._direct, inputs)
            if direct is not None:
                self._results = {}
                return direct
        values, input_lods = self._inputs.gather(inputs, lods, self._fed)
        output_arrays = {} if outputs is None else self._output_arrays(outputs)
        results = self._guard.call(self._run, values, input_lods, output_arrays)
        if self._has_outputs_only:
            self._direct = self._runtime.direct(self._inputs.names, self._direct, self.config.threads)
        return {name: results[name][0] for name in self._output_names}

    def _run(
        self, values: Sequence[Array], lods: Sequence[Lod], outputs: Mapping[int, Array]
    ) -> dict[str, tuple[Array, Lod]]:
        """The results of a run by name, which `get` returns from now on."""
        self._check_files()
        arrays, result_lods = (self._early or self._runtime).run(values, lods, outputs)
        names = self._state.plan.result_names
        results = dict(zip(names, zip(plain_results(arrays), result_lods, strict=True), strict=True))
        self._results = results
        if self._direct is not None:
            self._direct.is_last = False
        return results

    def answer(
        self, values: Sequence[Any], lods: Sequence[Lod], outputs: Mapping[int, Array]
    ) -> tuple[list[Any], list[Lod]]:
        """`run` for a predictor of the same model, which has checked the arguments."""
        results = self._guard.call(self._run, values, lods, outputs)
        # A model may return a value twice.
        ordered = [results[name] for name in self._state.plan.result_names]
        return [array for array, _ in ordered], [lod for _, lod in ordered]

    @property
    def compilation(self) -> Compilation:
        """Which kernels are not compiled yet, so that the host's kernels answer; see `Config.compilation`."""
        from lite.session.compilation import Compilation

        return Compilation() if self._early is None else self._early.state()

    def missing_kernels(self, shapes: Mapping[str, Sequence[int]]) -> list[KernelTask]:
        """The kernels that would have to be compiled for inputs of these shapes, as far as they are known.

        Those of loops and branches are not.  Raises what `prepare` raises for its shapes.
        """
        if all(place.target != CPU for place in self.config.places):
            return []
        from lite.session.missing_kernels import missing_kernels

        values, lods = self._inputs.gather(self._inputs.zeros(shapes), None, {})
        self._check_files()
        return self._guard.call(missing_kernels, self._state, self._memory, values, lods)

    def _check_files(self) -> None:
        """Before weights are read first, check that their files are as they were."""
        if self._unread_files is not None:
            self._unread_files.check()
            self._unread_files = None

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
        plan, parts = self._state.plan, self._parts
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
        self._check_files()
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
        listeners = [] if self._regions is None else self._regions.listeners
        self._check_files()

        def bind() -> None:
            if progress is not None:
                listeners.append(progress)
            try:
                if self._regions is not None:
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
        return self._threads.call(profile_runs, self._state, self._memory, values, input_lods, runs, warmup)

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
        results = self._threads.call(watch, self._state, self._memory, callback, values, input_lods)
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
        report = runtime_report(self._placed, self._state)
        if self._early is not None:
            report.warnings += self._early.state().sentences()
        return report

    def built_models(self) -> list[BuiltModel]:
        """What the devices built of each region, for each signature that was prepared or run.

        Raises `CompileError` where a device fails to write the files of a model.
        """
        from lite.runtime.regions.built_model import built_models

        return built_models(engines_of(self._state))

    def explain_cache(self) -> dict[str, dict[str, str]]:
        """By region and input signature: whether the device model came from the cache, or why not.

        The text is ``hit``, or names the parts in which the nearest entry's key differs.  Covers the runs so
        far; empty without `Config.cache_dir`.
        """
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

        return memory_use([self._runtime, *self._parts.runtimes])

    def parts(self) -> PredictorParts:
        """What `save_artifact` stores."""
        return PredictorParts(
            list(self._inputs.specs.values()),
            self._output_names,
            self._state,
            self._memory,
            self._placed,
            {} if self._regions is None else self._regions.specs,
            self._artifact,
            self._program,
            self._runtime.bound_shapes(),
        )

    def optimized_program(self) -> Program:
        """The optimised model as a program, which can be saved and loaded.

        It is optimised for the host, with images in NCHW; loading it picks kernels and plans memory again.
        Without `Config.debug` a predictor keeps no program, so this reads and optimises the model once more.
        Raises `GraphError` for a graph that no program can express, and what `create_predictor` raises.
        """
        from lite.session.optimized_program import optimized_program

        names = self._output_names
        return optimized_program(self.config, self._origin, names, lambda *given: optimize(*given).graph)

    def get(self, name: str) -> Array:
        """The value of an output, or of a variable in `Config.keep`, in the last run.

        Raises `InputError` for an unknown name, and before the first run.
        """
        return self._result(name)[0]

    def get_lod(self, name: str) -> Lod:
        """The LoD of an output or kept variable in the last run; raises `InputError` as `get` does."""
        return self._result(name)[1]

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

    def _result(self, name: str) -> tuple[Array, Lod]:
        require_name(name, self._state.plan.result_names, "output or kept variable")
        if self._direct is not None and self._direct.is_last:
            return self._direct.results()[name], NO_LOD
        if name not in self._results:
            raise InputError(f"{name!r} has no value yet; run the predictor first")
        return self._results[name]


def _created(config: Config, program: Program | None) -> Predictor:
    """The predictor of a program, or of the Config's model."""
    return create_predictor(config) if program is None else Predictor.of_program(program, config)
