"""Runtime: runs a plan on arrays.

**Binding.**  A plan is a list of instructions whose shapes may be symbolic.  The first run with an input
signature (shapes and dtypes, and LoDs where an op reads them) binds the plan: `lite.runtime.binding` infers
the shapes, computes the values that follow from shapes and weights alone, places buffers in an arena, and
prepares kernels.  The result is a `Segment`, whose steps are closures over a prepared kernel and the indices
of its arguments.  Later runs with the same signature only execute the steps.

**Segments.**  Some shapes depend on data: a loop's results, or the output of ``where_index``.  A segment
ends after the instruction that computes such values.  When a run gets there, the actual shapes are the
signature by which the next segment is found or bound.  The bound segments, therefore, form a tree, and each
run takes a path through it (`BoundSegments`).

**Values of a run.**  A run keeps its values in a list, `Env`, indexed like the plan's values.  It starts as a
copy of a template that holds the constants.  Each segment then enters its buffers and folded values
(`Segment.prefill`) and allocates its results (`Segment.fresh`); steps store the rest.

**Memory.**  `Storage` names the owner of each value's memory:

- BORROWED: an argument, a weight, or a folded value.  Never written.
- ARENA: a buffer in the arena of a segment.  The next run overwrites it.
- FRESH: allocated in this run, or an output array of the caller.  Kernels write results to it directly.

What `run` returns belongs to the caller: results are FRESH, or copies.  Kernels run one after the other, so
all share one scratch memory, as large as the largest request.

**Sharing.**  A runtime is for one run at a time: segments, arenas and scratch memory are its own.  Weights,
prepared weights and the models of regions belong to the `PlanState`, which is safe to use from threads.  A
clone of a predictor is another runtime on the same state.

**Side by side.**  Where regions do not depend on each other, or on ops of the host, a segment has lanes
(`lite.runtime.lanes`), and they run at the same time.

**Control flow.**  The step of a loop or branch runs a runtime of its own for the sub-block
(`lite.runtime.nested`).  Branches whose conditions are known before the run are resolved: `InlinedRuntimes`
holds runtimes of plans without them, and `run` picks one by the arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

import numpy as np

from lite.errors import ExecutionError, LiteError
from lite.ir.types import NO_LOD, Array, DType, Lod, Shape
from lite.ops import Meta
from lite.ops.macs import IMAGE_PRODUCTS, WEIGHT_PRODUCTS
from lite.plugin.kernel import KERNEL_ERRORS, is_tensor_array
from lite.plugin.kernel.scratch import ALIGNMENT
from lite.runtime.allocation import aligned_bytes
from lite.runtime.binding import Binding, ClosedError, RegionParts, bind_segment, region_parts
from lite.runtime.bound_segments import BoundSegments, Given, Missing
from lite.runtime.grown import arrays_in_place, caches, grown_results, result_buffers
from lite.runtime.inlined import InlinedRuntimes, has_branches
from lite.runtime.joined_steps import JoinedStep, viewed_arguments
from lite.runtime.lanes.run import LaneRun
from lite.runtime.nested import LastRun, NestedRuntime
from lite.runtime.open_signatures import OpenSignatures, open_metas
from lite.runtime.output_arrays import value_text
from lite.runtime.paused_collector import paused_collector
from lite.runtime.plan_state import PlanState
from lite.runtime.recorded_run import RecordedRun
from lite.runtime.regions.device_tensor import LostTensorError
from lite.runtime.run_results import run_results
from lite.runtime.segment import NO_BUFFERS, Env, Lane, Segment, SegmentKey, Step, Storage, Task
from lite.runtime.threads import limit_blas

_NO_CONTEXT: AbstractContextManager[None] = nullcontext()


class Runtime:
    """Runs one plan, one run at a time; see the module for the design.

    `memory` is the strategy that places buffers (`lite.memory`).  With `inlines`, branches whose
    conditions are known before a run are resolved; with `by_value`, the elements of small integer
    arguments count as known.  A nested runtime is that of a sub-block.
    """

    def __init__(
        self,
        state: PlanState,
        memory: str = "compact",
        *,
        by_value: bool = True,
        inlines: bool = True,
        is_nested: bool = False,
    ) -> None:
        self.state = state
        self.plan = state.plan
        self.memory = memory
        self.signatures = OpenSignatures(state.can_be_open)
        self._bound = BoundSegments(self.signatures)
        self._grown = grown_results(state.plan)
        self._caches = caches(state.plan)
        self._is_nested = is_nested
        self.scratch: Array = np.empty(0, np.uint8)
        """The scratch memory of the kernels, ``uint8[bytes]``."""
        self.has_lanes = True
        """Whether independent instructions may run at the same time."""
        self._lane_run: LaneRun | None = None
        """The last run of lanes, which an interrupt may have left unfinished."""
        # The run around a nested one ignores them.
        self._ignores_warnings = not is_nested and any(item.region is None for item in self.plan.instructions)
        self._template: Env = [*[None] * len(self.plan.values), None, None]
        for index, array in state.constants.items():
            self._template[index] = array
        resolves = inlines and has_branches(state)
        self._branches = InlinedRuntimes(state, self._make_inlined, by_value=by_value) if resolves else None
        self._inlined: NestedRuntime | None = None  # that of the last run, whose branches were known

    def run(
        self,
        args: Sequence[Any],
        lods: Sequence[Lod] = (),
        outputs: Mapping[int, Array] | None = None,
    ) -> tuple[list[Any], list[Lod]]:
        """The results and their LoDs.  `outputs` are arrays to write results to, by position.

        Raises `GraphError` when the shapes do not fit the ops, `InputError` for an output array of another
        shape or dtype than its result, and `ExecutionError` when a kernel fails.
        """
        lods = lods or [NO_LOD] * len(args)
        self._inlined = None if self._branches is None else self._branches.find(args, lods)
        if self._inlined is not None:
            return self._inlined.run(args, lods, outputs)
        while True:
            try:
                with np.errstate(all="ignore") if self._ignores_warnings else _NO_CONTEXT:
                    return self._run(args, lods, outputs or {})
            except LostTensorError:
                # The region that computed the tensor now runs on the host, so each region fails once at most.
                continue

    def _run(
        self, args: Sequence[Any], lods: Sequence[Lod], outputs: Mapping[int, Array]
    ) -> tuple[list[Any], list[Lod]]:
        if self._lane_run is not None:
            self._lane_run.stop()
            self._lane_run = None
        segment = self._first_segment(args, lods)
        env = self._with_arguments(args)
        buffers = result_buffers(self.plan, self._caches, args, outputs)
        if outputs and (self._grown or self._caches):
            in_place = arrays_in_place(self.plan, self._grown, self._caches, args, outputs)
            for index, array in in_place.items():
                env[index] = array
        self._execute(segment, env, buffers)
        segment = self.run_rest(segment, env, buffers)
        results = run_results(self.plan, segment, env, outputs, buffers)
        return results, self._result_lods(segment, env, lods)

    def run_rest(self, segment: Segment, env: Env, buffers: Mapping[int, Array] = NO_BUFFERS) -> Segment:
        """Run the segments after the first one; the last one.  `buffers` are arrays for results by value."""
        path = [segment]
        try:
            while path[-1].stop < len(self.plan.instructions):
                path.append(self._next_segment(path[-1], env))
                self._execute(path[-1], env, buffers)
        finally:
            self._bound.mark_used(path)
        return path[-1]

    def _with_arguments(self, args: Sequence[Any]) -> Env:
        env = self._template.copy()
        env[-1] = {}
        for index, value in zip(self.plan.args, args, strict=True):
            env[index] = value
        return env

    def entered(self, segment: Segment, args: Sequence[Any]) -> Env:
        """The values of a run before the first step of a segment that begins with the plan."""
        env = self._with_arguments(args)
        segment.enter(env)
        return env

    def for_arguments(self, args: Sequence[Any], lods: Sequence[Lod] = ()) -> NestedRuntime:
        """The runtime that runs arguments of these shapes: this one, or one without the known branches."""
        lods = lods or [NO_LOD] * len(args)
        inlined = None if self._branches is None else self._branches.find(args, lods, use_elements=False)
        return self if inlined is None else inlined.for_arguments(args, lods)

    def prepare(self, args: Sequence[Any], lods: Sequence[Lod] = ()) -> Segment:
        """Bind for arguments of these shapes without running; returns the first segment."""
        runtime = self.for_arguments(args, lods)
        if runtime is not self:
            return runtime.prepare(args, lods)
        segment = self._first_segment(args, lods or [NO_LOD] * len(args))
        self._bound.mark_used([segment])
        return segment

    def parts(self, args: Sequence[Any]) -> RegionParts:
        """The regions that `prepare` binds for arguments without LoDs, with the metas of their inputs."""
        runtime = self.for_arguments(args)
        if runtime is not self:
            return runtime.parts(args)
        given = {index: (value, NO_LOD) for index, value in zip(self.plan.args, args, strict=True)}
        metas = {**self.state.metas, **self._metas(given)}
        return region_parts(Binding(self.state, self.memory, 0, metas, {}, self.state.constants))

    @property
    def last_run(self) -> LastRun | None:
        """How the last run began; None before the first one."""
        elements = () if self._branches is None else self._branches.last_elements
        if self._inlined is not None:
            inner = self._inlined.last_run
            return None if inner is None else inner._replace(elements=elements)
        path = self._bound.last_path
        return LastRun(self, path[0], elements) if path else None

    @property
    def inlined(self) -> list[NestedRuntime]:
        """The runtimes that replace this one where branches are known."""
        return [] if self._branches is None else self._branches.runtimes

    @property
    def scratch_bytes(self) -> int:
        """Size of the scratch memory of the kernels."""
        return len(self.scratch)

    def bound_shapes(self) -> list[tuple[Shape | None, ...]]:
        """The shapes of the arguments for which the plan is bound."""
        bound = [
            tuple(segment.metas[index].shape for index in self.plan.args)
            for segment in self.segments()
            if segment.start == 0
        ]
        return [*bound, *(shapes for runtime in self.inlined for shapes in runtime.bound_shapes())]

    def segments(self) -> Iterator[Segment]:
        """All bound segments, each before those that follow it."""
        return iter(self._bound)

    def _make_inlined(self, state: PlanState) -> NestedRuntime:
        return Runtime(state, self.memory, inlines=False, is_nested=self._is_nested)

    def _make_nested(self, state: PlanState) -> NestedRuntime:
        """The runtime of a sub-block, which does not depend on elements: a loop's counter always changes."""
        return Runtime(state, self.memory, by_value=False, is_nested=True)

    def _first_segment(self, args: Sequence[Any], lods: Sequence[Lod]) -> Segment:
        bound_lods = lods if self.plan.reads_lod else [NO_LOD] * len(args)
        given = dict(zip(self.plan.args, zip(args, bound_lods, strict=True), strict=True))
        found = self._bound.find(None, given)
        if isinstance(found, Segment):
            return found
        metas = {**self.state.metas, **self._metas(given)}
        storage = dict.fromkeys(metas, Storage.BORROWED)
        return self._bind_missing(found, metas, storage, self.state.constants)

    def _next_segment(self, previous: Segment, env: Env) -> Segment:
        given = {n: (env[n], env[-1].get(n, previous.metas[n].lod)) for n in previous.split}
        found = self._bound.find(previous, given)
        if isinstance(found, Segment):
            return found
        values = {n: env[n] for n, storage in previous.storage.items() if storage is Storage.ARENA}
        values.update((n, meta.value) for n, meta in previous.metas.items() if meta.value is not None)
        metas = {**previous.metas, **self._metas(given)}
        segment = self._bind_missing(found, metas, previous.storage, values)
        # Binding may have replaced constants by aligned copies, which this run started without.
        for index in self.state.constants:
            env[index] = self._template[index]
        return segment

    def _bind_missing(
        self,
        missing: Missing,
        metas: dict[int, Meta],
        storage: Mapping[int, Storage],
        values: Mapping[int, Any],
    ) -> Segment:
        """The segment for many sizes where that is required and fast; else that of the values' own sizes."""
        previous = missing.key[0]
        sized = IMAGE_PRODUCTS if self._is_nested else WEIGHT_PRODUCTS
        if missing.sizes is not None:
            given = self.plan.args if previous is None else previous.split
            open_ = dict(zip(given, open_metas([metas[n] for n in given], missing.sizes), strict=True))
            try:
                return self._bind(missing.open_key, {**metas, **open_}, storage, values, sized)
            except ClosedError:
                self._bound.close(missing)
        if previous is not None and previous.is_open:
            with suppress(ClosedError):
                return self._bind(missing.key, metas, storage, values, sized)
        return self._bind(missing.key, metas, storage, values)

    def _bind(
        self,
        key: SegmentKey,
        metas: Mapping[int, Meta],
        storage: Mapping[int, Storage],
        values: Mapping[int, Any],
        sized: frozenset[str] | None = None,
    ) -> Segment:
        previous = key[0]
        start = 0 if previous is None else previous.stop
        binding = Binding(self.state, self.memory, start, metas, storage, values, sized)
        try:
            with paused_collector():
                segment = bind_segment(binding, self._make_nested, has_lanes=self.has_lanes)
        except KERNEL_ERRORS as error:
            raise ExecutionError(f"{self._op_text(binding.position)} cannot be bound: {error}") from error
        for index in binding.constants_read:
            self._template[index] = self.state.aligned(index)
        self._provide_scratch(segment)
        # Last, so that an interrupt leaves no segment that later runs find incomplete.
        self._bound.add(key, segment)
        return segment

    def _provide_scratch(self, segment: Segment) -> None:
        """Give the kernels of a segment their scratch memory, which all kernels of the runtime share."""
        size = max((requests.size for requests in segment.scratch), default=0)
        grows = size > len(self.scratch)
        if grows:
            self.scratch = aligned_bytes(size, ALIGNMENT)
        for each in [*self._bound, segment] if grows else [segment]:
            each.joined = None
            for requests in each.scratch:
                requests.place(self.scratch)

    def _metas(self, given: Given) -> dict[int, Meta]:
        return {index: self._meta(index, *each) for index, each in given.items()}

    def _meta(self, index: int, value: Any, lod: Lod) -> Meta:
        if isinstance(value, np.ndarray):
            return Meta.of(value, lod, known=False)
        info = self.plan.values[index]
        is_array = is_tensor_array(value) or info.is_array
        return Meta(info.dtype or DType.FLOAT32, None, None, lod, is_array)

    def _execute(self, segment: Segment, env: Env, buffers: Mapping[int, Array]) -> None:
        if segment.uses_blas:
            limit_blas()
        segment.enter(env, buffers)
        if segment.lanes:
            self._execute_lanes(segment.lanes, env)
        elif segment.joined is None and segment.launching:
            # A view of an argument that is not contiguous would be a copy, which later runs do not have.
            for index in viewed_arguments(segment, self.plan):
                if isinstance(env[index], np.ndarray):
                    env[index] = np.require(env[index], requirements=["C", "A"])
            recorded = RecordedRun(segment, self.plan, self.state.constants)
            self._run_steps(segment.steps, segment.positions, env, recorded)
            segment.joined = recorded.joined(env)
        else:
            bound = segment.joined or segment
            self._run_steps(bound.steps, bound.positions, env)

    def _run_steps(
        self, steps: Sequence[Step], positions: Sequence[int], env: Env, recorded: RecordedRun | None = None
    ) -> None:
        """Run steps, those of a segment by its `recorded` run."""
        position = 0
        try:
            for position, step in enumerate(steps):
                if recorded is None:
                    step(env)
                else:
                    recorded.run(position, env)
        except LiteError:
            raise
        except KERNEL_ERRORS as error:
            step = steps[position]
            failed = step.failed if isinstance(step, JoinedStep) else None
            op = self._op_text(positions[position] if failed is None else failed, env)
            raise ExecutionError(f"{op} failed: {type(error).__name__}: {error}") from error

    def _execute_lanes(self, lanes: tuple[Lane, ...], env: Env) -> None:
        def execute(task: Task) -> None:
            try:
                for step in task.steps:
                    step(env)
            except LiteError:
                raise
            except KERNEL_ERRORS as error:
                op = self._op_text(task.position, env)
                raise ExecutionError(f"{op} failed: {type(error).__name__}: {error}") from error

        self._lane_run = LaneRun(lanes, execute)
        self._lane_run.run()
        self._lane_run = None

    def _op_text(self, position: int, env: Env | None = None) -> str:
        """``op 3: relu(X=a float32[2, 4]) on host``, for messages."""
        item = self.plan.instructions[position]
        slots = []
        for slot, indices in item.inputs.items():
            names = [
                self.plan.values[index].name + (f" {value_text(env[index])}" if env else "")
                for index in indices
            ]
            slots.append(f"{slot}={', '.join(names)}")
        return f"op {position}: {item.op}({'; '.join(slots)}) on {item.place}"

    def _result_lods(self, segment: Segment, env: Env, lods: Sequence[Lod]) -> list[Lod]:
        if not self.plan.reads_lod:
            return [NO_LOD if source is None else lods[source] for source in self.plan.lod_sources]
        return [env[-1].get(index, segment.metas[index].lod) for index in self.plan.results]
