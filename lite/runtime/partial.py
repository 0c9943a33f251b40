"""Runs parts of a plan on the weights and prepared kernels of the whole."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from lite.errors import InputError, suggest
from lite.ir.types import NO_LOD, Lod
from lite.plan import part_of
from lite.runtime.derived_state import DerivedState
from lite.runtime.executor import MAX_SIGNATURES, Runtime
from lite.runtime.plan_state import PlanState


class PartRuntimes:
    """Runtimes of parts of a plan, one for each set of given and wanted values; one run at a time."""

    def __init__(self, state: PlanState, memory: str) -> None:
        self._state = state
        self._memory = memory
        self._found: OrderedDict[tuple[tuple[int, ...], tuple[int, ...]], Runtime] = OrderedDict()

    @property
    def runtimes(self) -> list[Runtime]:
        """Those there are now; the one used longest ago goes when there are too many."""
        return list(self._found.values())

    def given(self, name: str) -> int:
        """The number of a value to start from; an argument's name is the argument.

        Raises `InputError` where no value has that name.
        """
        plan = self._state.plan
        return self._number(name, {plan.values[index].name: index for index in plan.args})

    def wanted(self, name: str) -> int:
        """The number of a value to compute; a result's name is the result, even in a later version."""
        plan = self._state.plan
        return self._number(name, dict(zip(plan.result_names, plan.results, strict=True)))

    def run(self, given: Mapping[int, Any], wanted: Sequence[int], lods: Mapping[int, Lod]) -> list[Any]:
        """The `wanted` values; raises as `part_of` and `Runtime.run` do."""
        key = (tuple(given), tuple(wanted))
        if key not in self._found:
            part = part_of(self._state.plan, *key)
            values = [(self._state, index) for index in part.values]
            instructions = [(self._state, position) for position in part.positions]
            self._found[key] = Runtime(DerivedState(part.plan, values, instructions), self._memory)
        self._found.move_to_end(key)
        if len(self._found) > MAX_SIGNATURES:
            self._found.popitem(last=False)
        found_lods = [lods.get(index, NO_LOD) for index in given]
        return self._found[key].run(list(given.values()), found_lods)[0]

    def _number(self, name: str, first: Mapping[str, int]) -> int:
        values = {info.name: index for index, info in enumerate(self._state.plan.values)}
        number = first.get(name, values.get(name))
        if number is None:
            raise InputError(
                f"no value is called {name!r}{suggest(str(name), values)}; passes may have removed or fused "
                f"it: name it in Config(keep=[…]), or take Config(passes=[])"
            )
        return number
