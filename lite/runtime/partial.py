"""Runs parts of a plan on the weights and prepared kernels of the whole."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lite.errors import InputError, suggest
from lite.ir.types import NO_LOD, Array, Lod
from lite.ops import Meta
from lite.plan import Part, part_of
from lite.runtime.executor import MAX_SIGNATURES, Runtime
from lite.runtime.plan_state import Shared


class PartShared(Shared):
    """What the runtimes of a part share: all that it can have from the whole's."""

    def __init__(self, part: Part, whole: Shared) -> None:
        super().__init__(part.plan, whole.regions)
        self.blocks = tuple(whole.blocks[position] for position in part.positions)
        self.engines = tuple(whole.engines[position] for position in part.positions)
        self._part = part
        self._whole = whole
        self._loaded = self._loaded_by_whole()

    def aligned(self, index: int) -> Any:
        """A constant as the whole has it."""
        return self._whole.aligned(self._part.values[index])

    def prepared(self, instruction: int, name: str, make: Callable[[], Array]) -> Array:
        """What the whole's instruction has under `name`, unless a weight that it reads is given here."""
        item = self.plan.instructions[instruction]
        if any(self._is_given_weight(index) for indices in item.inputs.values() for index in indices):
            return super().prepared(instruction, name, make)
        return self._whole.prepared(self._part.positions[instruction], name, make)

    def _is_given_weight(self, index: int) -> bool:
        return index in self.plan.args and self._part.values[index] in self._whole.constants

    def _loaded_by_whole(self) -> tuple[dict[int, Any], dict[int, Meta]]:
        """The whole's constants, and what it made of them once, under the part's numbers."""
        once = (
            index
            for position in self.once
            for indices in self.plan.instructions[position].outputs.values()
            for index in indices
        )
        number = {index: self._part.values[index] for index in (*self.plan.constants, *once)}
        values = {index: self._whole.constants[old] for index, old in number.items()}
        return values, {index: self._whole.metas[old] for index, old in number.items()}


class PartRuntimes:
    """Runtimes of parts of a plan, one for each set of given and wanted values; one run at a time."""

    def __init__(self, shared: Shared, memory: str) -> None:
        self._shared = shared
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
        plan = self._shared.plan
        return self._number(name, {plan.values[index].name: index for index in plan.args})

    def wanted(self, name: str) -> int:
        """The number of a value to compute; a result's name is the result, even in a later version."""
        plan = self._shared.plan
        return self._number(name, dict(zip(plan.result_names, plan.results, strict=True)))

    def run(self, given: Mapping[int, Any], wanted: Sequence[int], lods: Mapping[int, Lod]) -> list[Any]:
        """The `wanted` values; raises as `part_of` and `Runtime.run` do."""
        key = (tuple(given), tuple(wanted))
        if key not in self._found:
            part = part_of(self._shared.plan, *key)
            self._found[key] = Runtime(PartShared(part, self._shared), self._memory)
        self._found.move_to_end(key)
        if len(self._found) > MAX_SIGNATURES:
            self._found.popitem(last=False)
        found_lods = [lods.get(index, NO_LOD) for index in given]
        return self._found[key].run(list(given.values()), found_lods)[0]

    def _number(self, name: str, first: Mapping[str, int]) -> int:
        values = {info.name: index for index, info in enumerate(self._shared.plan.values)}
        number = first.get(name, values.get(name))
        if number is None:
            raise InputError(
                f"no value is called {name!r}{suggest(str(name), values)}; passes may have removed or fused "
                f"it: name it in Config(keep=[…]), or take Config(passes=[])"
            )
        return number
