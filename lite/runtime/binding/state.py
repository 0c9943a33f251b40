"""Binding: what is found out about a segment while it is bound."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lite.ir.types import Array
from lite.ops import Meta
from lite.plan import Instruction, Plan
from lite.plugin.kernel import Kernel
from lite.plugin.kernel.scratch import ScratchRequests
from lite.runtime.plan_state import PlanState
from lite.runtime.regions.bound import BoundRegion
from lite.runtime.segment import Storage


class Binding:
    """The state of binding one segment from instruction `start` on.

    `metas` and `storage` are what is known where it starts, `known` the values that exist before the
    run (weights, buffers of earlier segments, folded values).
    """

    def __init__(
        self,
        state: PlanState,
        memory: str,
        start: int,
        metas: Mapping[int, Meta],
        storage: Mapping[int, Storage],
        known: Mapping[int, Any],
    ) -> None:
        self.state = state
        self.memory = memory
        self.start = start
        self.stop = start
        self.position = start
        """The instruction that is looked at, for messages."""
        self.metas = dict(metas)
        self.storage = dict(storage)
        self.known = dict(known)
        self.folded: set[int] = set()
        """Instructions whose outputs were computed here."""
        self.split: tuple[int, ...] = ()
        """Outputs of the last instruction, when only a run can tell their shapes."""
        self.regions: dict[int, BoundRegion] = {}
        """What runs the regions here, by instruction."""
        self.read: set[int] = set()
        """Constants that a step reads."""
        self.buffers: dict[int, int] = {}
        """Number of the memory request that a value lies in."""
        self.prefill: list[tuple[int, Any]] = []
        self.fresh: list[tuple[int, tuple[int, ...], np.dtype[np.generic]]] = []
        self.scratch: list[ScratchRequests] = []
        """What the kernels that were prepared here ask for."""

    @property
    def plan(self) -> Plan:
        """The plan that is bound."""
        return self.state.plan

    @property
    def positions(self) -> range:
        """The segment's instructions."""
        return range(self.start, self.stop)

    def instruction(self, position: int) -> Instruction:
        """One instruction of the plan."""
        return self.plan.instructions[position]

    def outputs(self, position: int) -> list[int]:
        """Every value that an instruction writes."""
        return [index for indices in self.instruction(position).outputs.values() for index in indices]

    def is_split(self, position: int) -> bool:
        """Whether only a run can tell the shapes of the instruction's outputs."""
        return bool(self.split) and position == self.stop - 1

    def know(self, index: int, array: Array) -> None:
        """Enter a value that exists before the run."""
        self.known[index] = array
        self.prefill.append((index, array))

    def value(self, index: int) -> Any:
        """A value that exists before the run, as kernels read it."""
        return self.state.aligned(index) if index in self.state.constants else self.known[index]

    def keywords(self, position: int, kernel: Kernel) -> dict[str, Any]:
        """The keyword arguments of a kernel: attributes and, where it takes them, LoDs and metas."""
        item = self.instruction(position)
        keywords = kernel.keywords(item.attrs)
        if kernel.takes_lods:
            keywords["lods"] = {slot: [self.metas[i].lod for i in ids] for slot, ids in item.inputs.items()}
        if kernel.takes_metas:
            keywords["metas"] = {slot: [self.metas[i] for i in ids] for slot, ids in item.outputs.items()}
        return keywords
