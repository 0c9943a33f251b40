"""Binding: everything that is known about a segment while it is bound."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from lite.ir.types import Array, DType
from lite.ops import Meta
from lite.ops.view import product
from lite.plan import Instruction, Plan
from lite.plugin.kernel import Kernel
from lite.plugin.kernel.launches import Check
from lite.plugin.kernel.scratch import ScratchRequests
from lite.runtime.plan_state import PlanState
from lite.runtime.segment import Step, Storage

if TYPE_CHECKING:
    from lite.plugin.kernel.partial_elements import Elements
    from lite.runtime.binding.per_run import PreparedPerRun
    from lite.runtime.regions.bound import BoundRegion
    from lite.runtime.regions.engine import SubgraphEngine


RegionParts: TypeAlias = "list[tuple[SubgraphEngine, tuple[Meta, ...]]]"
"""Regions with the metas of their inputs."""


class Part(NamedTuple):
    """A value that lies in the buffer of another one: `size` bytes from `begin` on in that of `base`.

    Instruction `first` would write it, and `last` reads it last.
    """

    base: int
    begin: int
    size: int
    first: int
    last: int


def is_plannable(meta: Meta) -> bool:
    """Whether a buffer for a value with this meta can be planned before the run."""
    return meta.is_static and not meta.is_array and meta.dtype is not DType.STRING


class ClosedError(Exception):
    """An op would be much slower without the sizes that an open binding does not have."""


class Binding:
    """The state of binding one segment, from instruction `start` on.

    `metas` and `storage` describe the values at the start.  `values` are those that exist before the run:
    weights, buffers of earlier segments, and folded values.  An open binding lacks some sizes, and does not
    end where shapes depend on data; `sized` are the ops that must have theirs.
    """

    def __init__(
        self,
        state: PlanState,
        memory: str,
        start: int,
        metas: Mapping[int, Meta],
        storage: Mapping[int, Storage],
        values: Mapping[int, Any],
        sized: frozenset[str] | None = None,
    ) -> None:
        self.state = state
        self.sized = sized
        self.memory = memory
        self.start = start
        self.stop = start
        self.position = start
        """The instruction that is being bound, for messages."""
        self.metas = dict(metas)
        self.storage = dict(storage)
        self.values = dict(values)
        self.elements: dict[int, Elements] = {}
        """In an open binding: small tensors of which some elements are known."""
        self.folded: set[int] = set()
        """Instructions whose outputs exist before the run."""
        self.split: tuple[int, ...] = ()
        """Outputs of the last instruction, if their shapes depend on data."""
        self.regions: dict[int, BoundRegion] = {}
        """The bound regions, by instruction."""
        self.parts: RegionParts | None = None
        """Regions with the metas of their inputs, where these are collected and nothing is bound."""
        self.constants_read: set[int] = set()
        """Constants that a step reads."""
        self.buffers: dict[int, int] = {}
        """By value: the number of its request for memory."""
        self.parts_of_buffers: dict[int, Part] = {}
        """The values that need no memory and no step of their own."""
        self.parts_until: dict[int, int] = {}
        """By value whose buffer has parts: the last instruction that reads one of them."""
        self.prefill: list[tuple[int, Any]] = []
        self.fresh: list[tuple[int, tuple[int, ...], np.dtype[np.generic]]] = []
        self.launching: dict[Step, Check | None] = {}
        """The steps that only launch compiled functions, into buffers."""
        self.uses_blas = False
        """Whether a step runs a kernel of the host that may multiply matrices."""
        self.lanes: dict[int, int] = {}
        """The lane of each instruction; empty where all run one after the other."""
        self.in_use_until: dict[int, int] = {}
        """With lanes, by root: the last instruction that may run beside one that uses the value."""
        self.lanes_of_value: dict[int, frozenset[int]] = {}
        """With lanes: those that use a value."""
        self.per_run: list[PreparedPerRun] = []
        """The kernels that are prepared in the run."""
        self.scratch: list[ScratchRequests] = []
        """The scratch memory that prepared kernels asked for."""

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
        """All values that an instruction writes."""
        return [index for indices in self.instruction(position).outputs.values() for index in indices]

    def is_split(self, position: int) -> bool:
        """Whether the shapes of the instruction's outputs depend on data."""
        return bool(self.split) and position == self.stop - 1

    @property
    def is_open(self) -> bool:
        """Whether sizes of the arguments may be unknown."""
        return self.sized is not None

    def is_allocated_by_kernel(self, position: int) -> bool:
        """Whether the kernel allocates its outputs, as their shapes are known only in the run."""
        outputs = [self.metas[index] for index in self.outputs(position)]
        if self.is_open:
            return not all(map(is_plannable, outputs))
        return self.is_split(position) or any(meta.is_array for meta in outputs)

    def computes_nothing(self, position: int) -> bool:
        """Whether all outputs are known to have no elements; a kernel may yet loop over their other sizes."""
        if self.state.kernels[position] is None or self.is_allocated_by_kernel(position):
            return False
        values, outputs = self.plan.values, self.outputs(position)
        if self.state.schemas[position].effect:
            return False
        if any(values[index].opaque or values[index].root != index for index in outputs):
            return False
        return all(product(self.metas[index].dims) == 0 for index in outputs)

    def add_value(self, index: int, array: Array) -> None:
        """Add a value that exists before the run."""
        self.values[index] = array
        self.prefill.append((index, array))

    def value(self, index: int) -> Any:
        """A value that exists before the run, as kernels read it."""
        return self.state.aligned(index) if index in self.state.constants else self.values[index]

    def keywords(self, position: int, kernel: Kernel) -> dict[str, Any]:
        """The keyword arguments of a kernel: attributes and, if it takes them, LoDs and metas."""
        item = self.instruction(position)
        keywords = kernel.keywords(item.attrs)
        if kernel.takes_lods:
            keywords["lods"] = {slot: [self.metas[i].lod for i in ids] for slot, ids in item.inputs.items()}
        if kernel.takes_metas:
            keywords["metas"] = {slot: [self.metas[i] for i in ids] for slot, ids in item.outputs.items()}
        return keywords
