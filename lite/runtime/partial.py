"""PartRuntimes: runs parts of a plan on the weights and prepared kernels of the whole plan."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lite.errors import InputError, suggest
from lite.ir.types import NO_LOD, Layout, Lod
from lite.ops.image_layout import RANK, array_into
from lite.plan import part_of
from lite.runtime.derived_state import DerivedState
from lite.runtime.executor import Runtime
from lite.runtime.plan_state import PlanState

MAX_PARTS = 16
"""Number of parts that keep their runtimes; the least recently used is dropped first."""


class PartRuntimes:
    """One runtime for each pair of input values and output values; one run at a time."""

    def __init__(self, state: PlanState, memory: str) -> None:
        self._state = state
        self._memory = memory
        self._runtimes: OrderedDict[tuple[tuple[int, ...], tuple[int, ...]], Runtime] = OrderedDict()

    @property
    def runtimes(self) -> list[Runtime]:
        """The runtimes of the parts that were run."""
        return list(self._runtimes.values())

    def input_index(self, name: str) -> int:
        """The index of a value to start from; the name of an argument is the argument.

        Raises `InputError` for an unknown name.
        """
        plan = self._state.plan
        return self._index(name, {plan.values[index].name: index for index in plan.args})

    def output_index(self, name: str) -> int:
        """The index of a value to compute; the name of a result is the result, even a later version.

        Raises `InputError` for an unknown name.
        """
        plan = self._state.plan
        return self._index(name, dict(zip(plan.result_names, plan.results, strict=True)))

    def run(self, inputs: Mapping[int, Any], outputs: Sequence[int], lods: Mapping[int, Lod]) -> list[Any]:
        """The values `outputs`, computed from the values `inputs`, all by index.

        Images are in the model's layout.  Raises what `part_of` and `Runtime.run` raise.
        """
        key = (tuple(inputs), tuple(outputs))
        if key not in self._runtimes:
            part = part_of(self._state.plan, *key)
            values = [(self._state, index) for index in part.values]
            instructions = [(self._state, position) for position in part.positions]
            self._runtimes[key] = Runtime(DerivedState(part.plan, values, instructions), self._memory)
        self._runtimes.move_to_end(key)
        if len(self._runtimes) > MAX_PARTS:
            self._runtimes.popitem(last=False)
        input_lods = [lods.get(index, NO_LOD) for index in inputs]
        arrays = [self._transposed(index, value, Layout.NHWC) for index, value in inputs.items()]
        results = self._runtimes[key].run(arrays, input_lods)[0]
        return [
            self._transposed(index, value, Layout.NCHW) for index, value in zip(outputs, results, strict=True)
        ]

    def _transposed(self, index: int, value: Any, layout: Layout) -> Any:
        """`value` in `layout` if its kernels take images in NHWC."""
        if not self._state.plan.values[index].channels_last or not isinstance(value, np.ndarray):
            return value
        return np.ascontiguousarray(array_into(value, layout)) if value.ndim == RANK else value

    def _index(self, name: str, preferred: Mapping[str, int]) -> int:
        values = {info.name: index for index, info in enumerate(self._state.plan.values)}
        index = preferred.get(name, values.get(name))
        if index is None:
            raise InputError(
                f"the model has no value {name!r}{suggest(str(name), values)}; passes may have removed or "
                "fused it: keep it with Config(keep=[…]), or run no passes with Config(passes=[])"
            )
        return index
