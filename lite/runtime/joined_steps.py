"""Joins steps of a segment that only launch compiled functions: one call from Python for several of them.

The first run of a segment records the launches of each step.  Buffers, weights and scratch memory have the
same addresses in every run; arguments, results and what Python steps compute have new ones, which a joined
step passes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lite.dataclass import dataclass
from lite.ir.build import CONDITIONAL
from lite.ir.types import Array
from lite.plan import Instruction, Plan
from lite.plan.assemble import every_index
from lite.plugin.kernel import TensorArray, is_tensor_array
from lite.plugin.kernel.launches import Check, Joined, Launch, LaunchTarget, Place, recording
from lite.runtime.block_step import BlockStep
from lite.runtime.segment import NOTHING, Env, JoinedSteps, Segment, Step, Storage
from lite.runtime.steps import Release, ViewStep

Operands = dict[int, Any]
"""Values by index."""


class JoinedStep:
    """A step that makes several launches; `indices` are the values whose addresses each run decides."""

    __slots__ = ("checks", "failed", "indices", "launch", "target")

    def __init__(
        self,
        launch: Joined,
        target: LaunchTarget,
        indices: Sequence[int],
        checks: Sequence[tuple[int, Check]] = (),
    ) -> None:
        self.launch = launch
        self.target = target
        self.indices = indices
        self.checks = checks
        """What finds the errors of launches, with the instruction of each."""
        self.failed: int | None = None
        """The instruction whose error the last call raised."""

    def __call__(self, env: Env) -> None:
        """Launch, and raise the first error."""
        self.failed = None
        if self.checks:
            self.forget_errors()
        self.launch([env[index] for index in self.indices])
        for position, check in self.checks:
            error = check()
            if error is not None:
                self.failed = position
                raise error

    def forget_errors(self) -> bool:
        """Forget the errors of launches, also of an interrupted call; whether there were some."""
        errors = [check() for _, check in self.checks]
        return any(error is not None for error in errors)


def joined_steps(
    segment: Segment, plan: Plan, launches: Mapping[int, Sequence[Launch]], env: Env, constants: Iterable[int]
) -> JoinedSteps | None:
    """The steps of later runs; `launches` are those of the first one by step, `env` its values.

    A step whose launches cannot be repeated stays as it is; a loop or branch that only launches becomes a
    launch.  Views of memory that exists before them are made before the launches around them, and values are
    dropped after these.  None where arguments of the run share memory in a way that leaves open which of them
    a launch read, and where a view is a copy, of which the launches have another one.
    """
    fixed = {index for index, _ in segment.prefill} | set(constants)
    revived = {index for index, _ in segment.prefill if env[index] is None}  # of branches that were not taken
    for index, array in segment.prefill:
        env[index] = array if index in revived else env[index]
    absent = _of_branches(plan) - fixed - {index for index, *_ in segment.fresh}
    target = next((launch.target for each in launches.values() for launch in each), None)
    steps: list[Step] = []
    positions: list[int] = []
    group: list[_Recorded] = []
    checks: list[tuple[int, Check]] = []
    releases: list[tuple[Release, int]] = []

    def close() -> None:
        if group:
            steps.append(_joined(group, tuple(checks)))
            positions.append(group[0].position)
            group.clear()
            checks.clear()
        for release, position in releases:
            steps.append(release)
            positions.append(position)
        releases.clear()

    for number, (step, position) in enumerate(zip(segment.steps, segment.positions, strict=True)):
        if isinstance(step, ViewStep) and _exists_before(step, segment, plan, env):
            step(env)  # the run may have dropped it
            if not any(_is_view(env[step.out], env[index]) for index in step.indices - {NOTHING}):
                return None
            steps.append(step)
            positions.append(position)
            continue
        if isinstance(step, Release):
            releases.append((step, position))
            continue
        item = plan.instructions[position]
        operands = operands_of(item, env)
        found: Sequence[Launch] = launches.get(number, ())
        if isinstance(step, BlockStep) and step in segment.launching:
            found = step.launches(env, target)
        elif found and not revived.isdisjoint(operands) and _are_arrays(operands, fixed):
            with recording(is_dry=True) as found:
                step(env)
        if not _is_repeatable(found, operands, fixed) or not absent.isdisjoint(operands):
            close()
            steps.append(step)
            positions.append(position)
            continue
        memory = _memory_of(operands)
        for launch in found:
            places = _moving(launch, memory, fixed, plan)
            if places is None:
                return None
            group.append(_Recorded(position, launch, places))
        if isinstance(step, BlockStep):
            checks += [(position, check) for check in step.checks]
            continue
        check = segment.launching.get(step)
        if check is not None:
            checks.append((position, check))
    close()
    return JoinedSteps(steps, positions)


def operands_of(item: Instruction, env: Env) -> Operands:
    """The values that an instruction reads and writes."""
    return {index: env[index] for index in (*every_index(item.inputs), *every_index(item.outputs))}


@dataclass(frozen=True, eq=False)
class _Recorded:
    """A launch of an instruction; `moving` are its arguments whose addresses each run decides.

    Each is an argument's number with the value that it lies in and the offset there, in bytes.
    """

    position: int
    launch: Launch
    moving: Mapping[int, tuple[int, int]]


def _exists_before(step: ViewStep, segment: Segment, plan: Plan, env: Env) -> bool:
    """Whether a view can be made before its memory is written: that is an array of the runtime or the caller.

    What else the step reads, such as a shape, must not be written by launches.
    """
    root = plan.values[step.out].root
    indices = step.indices - {NOTHING}
    others = {index for index in indices if plan.values[index].root != root}
    if root == step.out or any(env[index] is None for index in indices):
        return False
    return all(segment.storage[plan.values[n].root] is Storage.BORROWED for n in others)


def viewed_arguments(segment: Segment, plan: Plan) -> list[int]:
    """The arguments of which a segment makes views."""
    roots = {plan.values[step.out].root for step in segment.steps if isinstance(step, ViewStep)}
    return [index for index in plan.args if index in roots]


def _is_view(value: Array | list[Array] | TensorArray, memory: Array | list[Array] | TensorArray) -> bool:
    """Whether an array lies in the memory of another one or of an element, or is empty.

    A tensor array is made again in each run, and no launch reads it.
    """
    if is_tensor_array(value):
        return True
    parts = memory if is_tensor_array(memory) else [memory]
    return value.size == 0 or any(np.may_share_memory(value, part) for part in parts)


def _of_branches(plan: Plan) -> set[int]:
    """The values that a run lacks where it does not take a branch, unless they have memory of their own."""
    branches = (item for item in plan.instructions if item.op in CONDITIONAL)
    return {index for item in branches for index in every_index(item.outputs)}


def _is_repeatable(launches: Sequence[Launch], operands: Operands, fixed: set[int]) -> bool:
    """Whether a step launched something, and on no copy and no list of arrays."""
    return bool(launches) and _are_arrays(operands, fixed) and all(each.is_repeatable for each in launches)


def _are_arrays(operands: Operands, fixed: set[int]) -> bool:
    """Whether the run still has all operands, as arrays."""
    return all(index in fixed or isinstance(value, np.ndarray) for index, value in operands.items())


def _moving(
    launch: Launch, memory: Sequence[_Memory], fixed: set[int], plan: Plan
) -> dict[int, tuple[int, int]] | None:
    """The arguments in values whose addresses each run decides; None where two values may be meant.

    Two views of one value always lie in the same memory.
    """
    moving = {}
    for argument, array in launch.arrays:
        address = _address_of(array)
        owners = [each for each in memory if array is each.array or each.begin <= address < each.end]
        owners = [each for each in owners if each.array is array] or owners
        roots = {plan.values[each.value].root for each in owners}
        if len(roots) > 1 and not fixed.issuperset(each.value for each in owners):
            return None
        if owners and owners[0].value not in fixed:
            moving[argument] = owners[0].value, address - owners[0].begin
    return moving


class _Memory(NamedTuple):
    """The memory of a value, which is an array: from one address to another."""

    value: int
    array: Array
    begin: int
    end: int


def _memory_of(operands: Operands) -> list[_Memory]:
    arrays = [(index, value) for index, value in operands.items() if isinstance(value, np.ndarray)]
    return [
        _Memory(index, array, begin, begin + array.nbytes)
        for index, array in arrays
        for begin in [_address_of(array)]
    ]


def _joined(group: Sequence[_Recorded], checks: Sequence[tuple[int, Check]]) -> JoinedStep:
    places: dict[int, list[Place]] = {}
    for number, each in enumerate(group):
        for argument, (index, offset) in each.moving.items():
            places.setdefault(index, []).append((number, argument, offset))
    launches = [each.launch for each in group]
    target = launches[0].target
    return JoinedStep(target.join(launches, list(places.values())), target, tuple(places), checks)


def _address_of(array: Array) -> int:
    """The address of an array's first element."""
    address: int = array.__array_interface__["data"][0]
    return address
