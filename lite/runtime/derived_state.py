"""DerivedState: the state of a plan made from others: a part of a plan, or one with inlined branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from lite.ir.types import Array
from lite.ops import Meta
from lite.plan import Plan
from lite.runtime.plan_state import PlanState

if TYPE_CHECKING:
    from lite.runtime.regions.engine import SubgraphEngine

Origin = tuple[PlanState, int]
"""A plan state, and the index of a value or an instruction in its plan."""


class DerivedState(PlanState):
    """Shares constants, prepared weights, engines and block states with the plans it derives from.

    `values` and `instructions` are the origins of the plan's values and instructions.  An argument of the
    derived plan may be a weight of the original one; kernels that read it are prepared again here.
    """

    def __init__(self, plan: Plan, values: Sequence[Origin], instructions: Sequence[Origin]) -> None:
        self._value_origins = values
        self._instruction_origins = instructions
        super().__init__(plan, limits=next((origin.limits for origin, _ in instructions), None))

    def aligned(self, index: int) -> Any:
        """The constant, aligned by its origin."""
        origin, number = self._value_origins[index]
        return origin.aligned(number)

    def prepared(self, instruction: int, name: str, make: Callable[[], Array]) -> Array:
        """The origin's result for `name`, unless the instruction reads a weight that is an argument here."""
        item = self.plan.instructions[instruction]
        if any(self._is_fed_weight(index) for indices in item.inputs.values() for index in indices):
            return super().prepared(instruction, name, make)
        origin, number = self._instruction_origins[instruction]
        return origin.prepared(number, name, make)

    def _is_weight(self, index: int) -> bool:
        return super()._is_weight(index) or self._is_fed_weight(index)

    def _is_fed_weight(self, index: int) -> bool:
        origin, number = self._value_origins[index]
        return index in self.plan.args and number in origin.constants

    def _make_blocks(self) -> tuple[tuple[PlanState, ...], ...]:
        return tuple(origin.blocks[number] for origin, number in self._instruction_origins)

    def _make_engines(self) -> tuple[SubgraphEngine | None, ...]:
        return tuple(origin.engines[number] for origin, number in self._instruction_origins)

    def _find_once(self) -> frozenset[int]:
        origins = self._instruction_origins
        return frozenset(n for n in super()._find_once() if origins[n][1] in origins[n][0].once)

    def _load(self) -> tuple[dict[int, Any], dict[int, Meta]]:
        with self._lock:
            if self._loaded is None:
                items = self.plan.instructions
                once = (i for n in self.once for ids in items[n].outputs.values() for i in ids)
                origins = {n: self._value_origins[n] for n in (*self.plan.constants, *once)}
                values = {n: origin.constants[number] for n, (origin, number) in origins.items()}
                metas = {n: origin.metas[number] for n, (origin, number) in origins.items()}
                self._loaded = values, metas
            return self._loaded
