"""RecordedRun: the first run of a segment, which records the launches of its steps."""

from __future__ import annotations

from collections.abc import Iterable

from lite.plan import Plan
from lite.plugin.kernel.launches import Launch, recording
from lite.runtime.block_step import BlockStep
from lite.runtime.joined_steps import Operands, joined_steps, operands_of
from lite.runtime.segment import Env, JoinedSteps, Segment


class RecordedRun:
    """Runs the steps of a segment; `joined` then makes the steps of later runs."""

    def __init__(self, segment: Segment, plan: Plan, constants: Iterable[int]) -> None:
        self._segment, self._plan, self._constants = segment, plan, constants
        self._launches: dict[int, list[Launch]] = {}
        self._operands: Operands = {}

    def run(self, number: int, env: Env) -> None:
        """Run a step, and record what it launches."""
        step = self._segment.steps[number]
        if step not in self._segment.launching or isinstance(step, BlockStep):
            step(env)
            return
        with recording() as self._launches[number]:
            step(env)
        item = self._plan.instructions[self._segment.positions[number]]
        self._operands.update(operands_of(item, env))

    def joined(self, env: Env) -> JoinedSteps | None:
        """The steps of later runs."""
        # The launches hold the memory of values that the run has dropped since.
        values = [self._operands.get(n) if value is None else value for n, value in enumerate(env)]
        return joined_steps(self._segment, self._plan, self._launches, values, self._constants)
