"""Look at every value of a run right after it was written.

A probe changes the bound steps of a runtime of its own, so that one nobody watches pays nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import HOST, Array, Lod, Place
from lite.ops import Meta
from lite.plan import Plan
from lite.plugin.kernel import KERNEL_ERRORS, kernels_of
from lite.runtime.control_flow import BlockStep
from lite.runtime.executor import Key, Runtime
from lite.runtime.nested import NestedRuntime
from lite.runtime.plan_state import PlanState
from lite.runtime.regions.device_tensor import DeviceTensor
from lite.runtime.segment import LODS, Env, Segment, Step, Storage
from lite.runtime.steps import Release

Path = tuple[int, ...]
"""An instruction: the numbers of those around it, outermost first, and its own."""


class Probe(Protocol):
    """What looks into a `WatchedRuntime`.

    With `inlines`, it sees branches that are known as a run has them: as part of the plan.
    """

    inlines: bool

    def attach(self, first: Path, plan: Plan, segment: Segment) -> None:
        """Change `steps` and `positions` of a segment that was just bound; they stay equally long.

        `first` stands for the plan's first instruction; those behind it have the next numbers.
        """


class WatchedRuntime(Runtime):
    """A runtime, and those of its sub-blocks, whose bound steps a probe may change.

    It shares weights and prepared kernels with the others of its plan, not their buffers.
    """

    def __init__(
        self, state: PlanState, memory: str, probe: Probe, first: Path = (0,), *, inlines: bool | None = None
    ) -> None:
        inlines = probe.inlines if inlines is None else inlines
        super().__init__(state, memory, by_value=len(first) == 1, inlines=inlines)
        self._probe = probe
        self._first = first
        self._numbers = first[-1] + len(self.plan.instructions)
        """The first number that no instruction has, here or in a plan that runs instead."""

    def _inlined(self, state: PlanState) -> NestedRuntime:
        first = (*self._first[:-1], self._numbers)
        self._numbers += len(state.plan.instructions)
        return WatchedRuntime(state, self.memory, self._probe, first, inlines=False)

    def _bind(
        self,
        key: Key,
        metas: Mapping[int, Meta],
        storage: Mapping[int, Storage],
        known: Mapping[int, Any],
    ) -> Segment:
        segment = super()._bind(key, metas, storage, known)
        for position, step in zip(segment.positions, segment.steps, strict=True):
            if isinstance(step, BlockStep):
                first = (*self._first[:-1], self._first[-1] + position, 0)
                step.inner = WatchedRuntime(step.inner.state, self.memory, self._probe, first)
        self._probe.attach(self._first, self.plan, segment)
        return segment


@dataclass(frozen=True)
class Observation:
    """A value that was just written, or an argument of a block that begins to run.

    `position` and `op` are the instruction's, -1 and "" for an argument, which has no `place` either.
    `name` has its version behind it where the variable is written several times, as ``x#1``; it is
    unique in `block`.  `value` is an array or, for a tensor array, a list of arrays: the engine's own
    memory, never to be written, and written again by later instructions (what lies in a target's own
    memory is copied out).  `reads` are the names of what the instruction reads, `constants` the
    weights among them.
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
    """Calls back for every argument and every value that an instruction has written.

    Values that do not exist (an output that a kernel left out) are passed over.  What the callback
    raises becomes an `ExecutionError` that says so, not a failure of the op.
    """

    inlines = False
    """Values are seen in the blocks that the model has."""

    def __init__(self, callback: Callback) -> None:
        self._callback = callback

    def attach(self, first: Path, plan: Plan, segment: Segment) -> None:
        """Put a step that looks behind each instruction, before what it forgets."""
        steps: list[Step] = []
        positions: list[int] = []
        own = steps_by_position(segment)
        if segment.start == 0:
            steps.append(self._arguments(plan, segment))
            positions.append(0)
        for position in range(segment.start, segment.stop):
            bound = own.get(position, ())
            written = [step for step in bound if not isinstance(step, Release)]
            forgotten = [step for step in bound if isinstance(step, Release)]
            found: list[Step] = [*written, self._outputs(plan, segment, position), *forgotten]
            steps += found
            positions += [position] * len(found)
        segment.steps[:], segment.positions[:] = steps, positions

    def _arguments(self, plan: Plan, segment: Segment) -> Step:
        def step(env: Env) -> None:
            for index in plan.args:
                name, lod = plan.values[index].name, segment.metas[index].lod
                self._call(Observation(plan.name, -1, "", None, name, env[index], lod, (), {}))

        return step

    def _outputs(self, plan: Plan, segment: Segment, position: int) -> Step:
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
                    value = _copied_out(value, item.place.target)
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
        try:
            self._callback(observation)
        except KERNEL_ERRORS as error:
            where = f"{observation.op or 'argument'} -> {observation.name}"
            raise ExecutionError(
                f"what observes the run failed at {where}: {type(error).__name__}: {error}"
            ) from error


def _copied_out(value: Any, target: str) -> Any:
    """What a value in a target's or device's own memory is as an array."""
    if isinstance(value, DeviceTensor):
        return value.array()
    if isinstance(value, np.ndarray):
        return value
    ends = {"source": target, "destination": HOST}
    copy = next(kernel for kernel in kernels_of("io_copy") if kernel.place.target == target)
    return copy.run(value, **copy.keywords(ends))


def steps_by_position(segment: Segment) -> dict[int, list[Step]]:
    """The steps of each instruction that has any."""
    found: dict[int, list[Step]] = {}
    for position, step in zip(segment.positions, segment.steps, strict=True):
        found.setdefault(position, []).append(step)
    return found


def watch(
    state: PlanState, memory: str, callback: Callback, args: Sequence[Any], lods: Sequence[Lod] = ()
) -> list[Any]:
    """Run once and call back for every value; the results, which are the caller's."""
    return WatchedRuntime(state, memory, Observer(callback)).run(args, lods)[0]
