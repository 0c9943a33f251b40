"""Shared: what all runtimes of one plan have in common and never write after making it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lite.errors import ExecutionError
from lite.ir.types import Array
from lite.ops import Meta, OpSchema, get_schema, infer
from lite.plan import Plan, Region
from lite.plugin.kernel import KERNELS, Kernel

if TYPE_CHECKING:
    from lite.cache.packed_weights import Packs
    from lite.runtime.regions.engine import RegionSettings, SubgraphEngine


class Shared:
    """Weights, picked kernels and prepared constants of a plan; safe to use from threads.

    Weights stay where the plan has them, in their file if they are mapped from one.  A copy in memory
    is made of what a step reads and what lies unaligned, once for all runtimes: see `aligned`.

    `engines` run the regions, by instruction.  `once` are the instructions whose results are constants,
    too: made of constants when the model is loaded.  On a target with memory of its own these are that
    target's objects.  `packs` has what kernels prepared in earlier processes.
    """

    def __init__(self, plan: Plan, regions: RegionSettings | None = None, packs: Packs | None = None) -> None:
        self.plan = plan
        self.regions = regions
        self.schemas: tuple[OpSchema, ...] = tuple(get_schema(item.op) for item in plan.instructions)
        self.kernels: tuple[Kernel | None, ...] = tuple(
            None if schema.control_flow else KERNELS.get((item.op, item.place))
            for item, schema in zip(plan.instructions, self.schemas, strict=True)
        )
        self.blocks = tuple(
            tuple(
                Shared(block, regions, packs and packs.inside(position, n))
                for n, block in enumerate(item.blocks)
            )
            for position, item in enumerate(plan.instructions)
        )
        self.engines: tuple[SubgraphEngine | None, ...] = tuple(
            None if item.region is None else _engine(item.region, regions) for item in plan.instructions
        )
        self.once = self._find_once()
        self._loaded: tuple[dict[int, Any], dict[int, Meta]] | None = None
        self._prepared: dict[tuple[int, str], Array] = {}
        self._copied: dict[int, Array] = {}
        self._packs = packs
        self._lock = threading.RLock()

    @property
    def constants(self) -> Mapping[int, Any]:
        """Weights as they lie, and what is made of them once, by value index."""
        return self._load()[0]

    @property
    def metas(self) -> Mapping[int, Meta]:
        """The metas of the constants, with the elements of those that are arrays."""
        return self._load()[1]

    def aligned(self, index: int) -> Any:
        """A constant as kernels read it fast: itself, or its one copy where it lies unaligned in its file."""
        value = self.constants[index]
        if not isinstance(value, np.ndarray) or value.flags.aligned:
            return value
        with self._lock:
            if index not in self._copied:
                self._copied[index] = np.require(value, requirements="A")
            return self._copied[index]

    @property
    def copied_bytes(self) -> int:
        """Bytes of the aligned copies made so far, those of sub-blocks included."""
        return self._sum(lambda shared: sum(array.nbytes for array in shared._copied.values()))

    @property
    def packed_bytes(self) -> int:
        """Bytes of what kernels prepared so far and is no view of a weight, sub-blocks included."""
        return self._sum(_packed_bytes)

    def _sum(self, size: Callable[[Shared], int]) -> int:
        with self._lock:
            own = size(self)
        return own + sum(block._sum(size) for blocks in self.blocks for block in blocks)

    def prepared(self, instruction: int, name: str, make: Callable[[], Array]) -> Array:
        """What `make` returned when this instruction first asked for `name`, here or in another process."""
        with self._lock:
            key = (instruction, name)
            if key not in self._prepared:
                packs = self._packs
                self._prepared[key] = make() if packs is None else packs.get(instruction, name, make)
            return self._prepared[key]

    def _find_once(self) -> frozenset[int]:
        constant = set(self.plan.constants)
        found: set[int] = set()
        for position, (item, schema) in enumerate(zip(self.plan.instructions, self.schemas, strict=True)):
            if schema.once and constant.issuperset(i for ids in item.inputs.values() for i in ids):
                found.add(position)
                constant.update(i for ids in item.outputs.values() for i in ids)
        return frozenset(found)

    def _load(self) -> tuple[dict[int, Any], dict[int, Meta]]:
        with self._lock:
            if self._loaded is None:
                values: dict[int, Any] = dict(self.plan.constants)
                metas = {index: Meta.of(array) for index, array in self.plan.constants.items()}
                for position in sorted(self.once):
                    self._run_once(position, values, metas)
                self._loaded = values, metas
            return self._loaded

    def _run_once(self, position: int, values: dict[int, Any], metas: dict[int, Meta]) -> None:
        """Enter the result of an instruction on constants; its kernel takes X and returns one value."""
        item, kernel = self.plan.instructions[position], self.kernels[position]
        if kernel is None:
            raise ExecutionError(f"op {position}: {item.op} has no kernel")
        [source], [out] = item.inputs["X"], item.outputs["Out"]
        [meta] = infer(self.schemas[position], {"X": [metas[source]]}, item.attrs, {"Out": 1})["Out"]
        result = kernel.run(values[source], **{name: item.attrs[name] for name in kernel.attrs})
        values[out] = result
        is_array = isinstance(result, np.ndarray)
        metas[out] = Meta.of(result) if is_array else Meta(meta.dtype, meta.shape, None, meta.lod)


def _engine(region: Region, settings: RegionSettings | None) -> SubgraphEngine:
    if settings is None:
        raise ExecutionError(f"region {region.id} of the plan: nothing says how regions are to be run")
    from lite.runtime.regions.engine import SubgraphEngine  # most plans have no regions

    return SubgraphEngine(region, settings)


def _packed_bytes(shared: Shared) -> int:
    weights = [array for array in shared.plan.constants.values() if array.size]
    return sum(
        array.nbytes
        for array in shared._prepared.values()
        if not any(np.may_share_memory(array, weight) for weight in weights)
    )
