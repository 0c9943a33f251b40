"""Observation of every value of a run, right after it was written.

A probe changes the bound steps of a separate runtime, so runs without a probe are not slower.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from lite.dataclass import dataclass
from lite.errors import ExecutionError
from lite.ir.types import HOST, Array, Layout, Lod, Place
from lite.ops import Meta
from lite.ops.image_layout import array_into
from lite.plan import Plan
from lite.plugin.kernel import KERNEL_ERRORS, TensorArray, kernels_of
from lite.runtime.block_step import BlockStep
from lite.runtime.executor import Runtime
from lite.runtime.nested import NestedRuntime
from lite.runtime.plan_state import PlanState
from lite.runtime.regions.device_tensor import DeviceTensor
from lite.runtime.segment import LODS, Env, Segment, SegmentKey, Step, Storage
from lite.runtime.steps import Release

Path = tuple[int, ...]
"""An instruction: its number, after the numbers of the instructions around it, outermost first."""


class Probe(Protocol):
    """Changes the steps of a `WatchedRuntime`.

    With `inlines`, it gets the steps of an ordinary run, in which known branches are resolved.
    """

    inlines: bool

    def attach(self, first: Path, plan: Plan, segment: Segment) -> None:
        """Change `steps` and `positions` of a segment that was just bound; both must have the same length.

        `first` is the path of the plan's first instruction; the following ones have consecutive numbers.
        """


class WatchedRuntime(Runtime):
    """A runtime whose steps, and those of its sub-blocks, a probe may change.

    It shares weights and prepared kernels with other runtimes of the plan, but not their buffers.
    """

    def __init__(
        self, state: PlanState, memory: str, probe: Probe, first: Path = (0,), *, inlines: bool | None = None
    ) -> None:
        inlines = probe.inlines if inlines is None else inlines
        super().__init__(state, memory, by_value=len(first) == 1, inlines=inlines)
        self.has_lanes = False
        self._probe = probe
        self._first = first
        self._numbers = first[-1] + len(self.plan.instructions)
        """The next free number: after all instructions of the plan, and of plans that replace it."""

    def _make_inlined(self, state: PlanState) -> NestedRuntime:
        first = (*self._first[:-1], self._numbers)
        self._numbers += len(state.plan.instructions)
        return WatchedRuntime(state, self.memory, self._probe, first, inlines=False)

    def _bind(
        self,
        key: SegmentKey,
        metas: Mapping[int, Meta],
        storage: Mapping[int, Storage],
        values: Mapping[int, Any],
        sized: frozenset[str] | None = None,
    ) -> Segment:
        segment = super()._bind(key, metas, storage, values, sized)
        for position, step in zip(segment.positions, segment.steps, strict=True):
            if isinstance(step, BlockStep):
                first = (*self._first[:-1], self._first[-1] + position, 0)
                step.run_by(WatchedRuntime(step.inner.state, self.memory, self._probe, first))
        self._probe.attach(self._first, self.plan, segment)
        return segment


@dataclass(frozen=True)
class Observation:
    """A value that was just written, or an argument of a block that starts to run.

    `position`, `op` and `place` are of the instruction; -1, "" and None for an argument.  `name` is unique
    in `block`: a variable that is written several times has its version appended, as in ``x#1``.  `value` is
    an array or, for a tensor array, a list of arrays; images are in the model's layout.  It is the engine's
    memory: do not write to it, and copy it to keep it, as later instructions overwrite it.  (Values in a
    target's or device's own memory are copied to the host.)  `reads` are the names of the instruction's
    inputs, `constants` the weights among them.
    """

    block: str
    position: int
    op: str
    place: Place | None
    name: str
    value: Any
    lod: Lod
    reads: Sequence[str]
    constants: Mapping[str, Array]


Callback = Callable[[Observation], None]


class Observer:
    """A probe that calls back for every argument, and for every value that an instruction wrote.

    It skips outputs that a kernel left out.  An error in the callback becomes an `ExecutionError` that names
    the callback, not the op.
    """

    inlines = False
    """Values are observed in the blocks of the model."""

    def __init__(self, callback: Callback) -> None:
        self._callback = callback

    def attach(self, first: Path, plan: Plan, segment: Segment) -> None:
        """Add a step after each instruction, before the steps that drop values."""
        steps: list[Step] = []
        positions: list[int] = []
        bound_steps = steps_by_position(segment)
        if segment.start == 0:
            steps.append(self._observe_arguments(plan, segment))
            positions.append(0)
        for position in range(segment.start, segment.stop):
            bound = bound_steps.get(position, ())
            compute = [step for step in bound if not isinstance(step, Release)]
            release = [step for step in bound if isinstance(step, Release)]
            observed: list[Step] = [*compute, self._observe_outputs(plan, segment, position), *release]
            steps += observed
            positions += [position] * len(observed)
        segment.steps[:], segment.positions[:] = steps, positions

    def _observe_arguments(self, plan: Plan, segment: Segment) -> Step:
        def step(env: Env) -> None:
            for index in plan.args:
                name, lod = plan.values[index].name, segment.metas[index].lod
                self._call(Observation(plan.name, -1, "", None, name, env[index], lod, (), {}))

        return step

    def _observe_outputs(self, plan: Plan, segment: Segment, position: int) -> Step:
        item = plan.instructions[position]
        inputs = [index for indices in item.inputs.values() for index in indices]
        reads = tuple(plan.values[index].name for index in inputs)
        constants = {
            plan.values[index].name: plan.constants[index] for index in inputs if index in plan.constants
        }
        outputs = [index for indices in item.outputs.values() for index in indices]

        def step(env: Env) -> None:
            for index in outputs:
                info, value = plan.values[index], env[index]
                if info.opaque:
                    value = _host_array(value, item.place.target)
                if info.channels_last and isinstance(value, np.ndarray):
                    value = array_into(value, Layout.NCHW)
                lod = env[LODS].get(index, segment.metas[index].lod)
                self._call(
                    Observation(
                        plan.name, position, item.op, item.place, info.name, value, lod, reads, constants
                    )
                )

        return step

    def _call(self, observation: Observation) -> None:
        if observation.value is None:
            return
        if isinstance(observation.value, TensorArray):
            observation = replace(observation, value=[*observation.value])
        try:
            self._callback(observation)
        except KERNEL_ERRORS as error:
            where = f"{observation.op or 'argument'} -> {observation.name}"
            raise ExecutionError(
                f"the callback of observe failed at {where}: {type(error).__name__}: {error}"
            ) from error


def _host_array(value: Any, target: str) -> Any:
    """A value in a target's or device's own memory as an array."""
    if isinstance(value, DeviceTensor):
        return value.array()
    if isinstance(value, np.ndarray):
        return value
    ends = {"source": target, "destination": HOST}
    copy = next(kernel for kernel in kernels_of("io_copy") if kernel.place.target == target)
    return copy.run(value, **copy.keywords(ends))


def steps_by_position(segment: Segment) -> dict[int, list[Step]]:
    """The steps of each instruction that has any."""
    steps: dict[int, list[Step]] = {}
    for position, step in zip(segment.positions, segment.steps, strict=True):
        steps.setdefault(position, []).append(step)
    return steps


def watch(
    state: PlanState, memory: str, callback: Callback, args: Sequence[Any], lods: Sequence[Lod] = ()
) -> list[Any]:
    """Run once and call back for every value; returns the results, which belong to the caller."""
    return WatchedRuntime(state, memory, Observer(callback)).run(args, lods)[0]
