"""Joins steps of a segment that only launch compiled functions: one call from Python for several of them.

The first run of a segment records the launches of each step.  Buffers, weights and scratch memory have the
same addresses in every run; arguments, results and what Python steps compute have new ones, which a joined
step passes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from lite.ir.types import Array
from lite.plan import Plan
from lite.plan.assemble import every_index
from lite.plugin.kernel.launches import Joined, Launch, Place
from lite.runtime.segment import Env, JoinedSteps, Segment, Step


class JoinedStep:
    """A step that makes several launches; `indices` are the values whose addresses each run decides."""

    __slots__ = ("indices", "launch")

    def __init__(self, launch: Joined, indices: Sequence[int]) -> None:
        self.launch = launch
        self.indices = indices

    def __call__(self, env: Env) -> None:
        """Launch."""
        self.launch([env[index] for index in self.indices])


def joined_steps(
    segment: Segment, plan: Plan, launches: Mapping[int, Sequence[Launch]], env: Env, constants: Iterable[int]
) -> JoinedSteps:
    """The steps of later runs; `launches` are those of the first one by step, `env` its values.

    A step whose launches cannot be repeated stays as it is.
    """
    fixed = {index for index, _ in segment.prefill} | set(constants)
    steps: list[Step] = []
    positions: list[int] = []
    group: list[int] = []

    def close() -> None:
        if group:
            moving = {
                index: env[index]
                for number in group
                for index in _operands(plan, segment.positions[number])
                if index not in fixed and isinstance(env[index], np.ndarray)
            }
            steps.append(_joined([each for number in group for each in launches[number]], moving))
            positions.append(segment.positions[group[0]])
            group.clear()

    for number, (step, position) in enumerate(zip(segment.steps, segment.positions, strict=True)):
        if _is_repeatable(launches.get(number, ()), _operands(plan, position), env, fixed):
            group.append(number)
            continue
        close()
        steps.append(step)
        positions.append(position)
    close()
    return JoinedSteps(steps, positions)


def _operands(plan: Plan, position: int) -> list[int]:
    item = plan.instructions[position]
    return [*every_index(item.inputs), *every_index(item.outputs)]


def _is_repeatable(launches: Sequence[Launch], operands: Sequence[int], env: Env, fixed: set[int]) -> bool:
    """Whether a step launched something, and on no copy and no list of arrays."""
    arrays = all(index in fixed or isinstance(env[index], np.ndarray) for index in operands)
    return bool(launches) and arrays and all(each.is_repeatable for each in launches)


def _joined(launches: Sequence[Launch], moving: Mapping[int, Array]) -> JoinedStep:
    """The step that makes these launches; `moving` are the values whose addresses each run decides."""
    places: dict[int, list[Place]] = {}
    for number, launch in enumerate(launches):
        for argument, array in launch.arrays:
            address = _address(array)
            for index, owner in moving.items():
                offset = address - _address(owner)
                if 0 <= offset < max(owner.nbytes, 1):
                    places.setdefault(index, []).append((number, argument, offset))
                    break
    return JoinedStep(launches[0].join(launches, list(places.values())), tuple(places))


def _address(array: Any) -> int:
    address: int = array.__array_interface__["data"][0]
    return address
