"""PlanState: the weights, kernels and engines that all runtimes of a plan share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lite.errors import ExecutionError
from lite.ir.limits import Limits
from lite.ir.types import Array
from lite.ops import Meta, OpSchema, get_schema, infer
from lite.plan import Plan, Region
from lite.plugin.format import release_pages
from lite.plugin.kernel import KERNEL_ERRORS, KERNELS, Kernel, runnable
from lite.plugin.kernel.owned_lock import OwnedLock

if TYPE_CHECKING:
    from lite.cache.packed_weights import PackedBlock
    from lite.runtime.regions.engine import SubgraphEngine

MakeEngine = Callable[[Region], "SubgraphEngine"]


class PlanState:
    """Weights, picked kernels and prepared constants of a plan; safe to use from threads.

    Weights are the plan's arrays, which may be mapped from a file.  A weight that a step reads is copied once
    for all runtimes if it is unaligned or not contiguous: see `aligned`.

    `engines` run the regions, by instruction; `make_engine` makes them.  `once` are the instructions that
    compute constants from constants when the model is loaded; on a target with its own memory, the results
    are the target's objects.  `packs` holds weights that kernels packed in earlier processes.  `limits` are
    those of a run.
    """

    def __init__(
        self,
        plan: Plan,
        make_engine: MakeEngine | None = None,
        packs: PackedBlock | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.plan = plan
        self.limits = limits or Limits()
        self._make_engine = make_engine
        self._packs = packs
        self.schemas: tuple[OpSchema, ...] = tuple(get_schema(item.op) for item in plan.instructions)
        self.kernels: tuple[Kernel | None, ...] = tuple(
            None if schema.control_flow else KERNELS.get((item.op, item.place))
            for item, schema in zip(plan.instructions, self.schemas, strict=True)
        )
        self.blocks = self._make_blocks()
        inner = any(block.takes_lods for blocks in self.blocks for block in blocks)
        self.takes_lods: bool = inner or any(each is not None and each.takes_lods for each in self.kernels)
        """Whether kernels take and return LoDs, in sub-blocks, too."""
        self.engines = self._make_engines()
        self.once = self._find_once()
        self._loaded: tuple[dict[int, Any], dict[int, Meta]] | None = None
        self._prepared: dict[tuple[int, str], Array] = {}
        self._alike: dict[int, int] = {}
        self._firsts: dict[Hashable, int] = {}
        self._copied: dict[int, Array] = {}
        self._lock = OwnedLock()

    @property
    def constants(self) -> Mapping[int, Any]:
        """Weights, and the results of `once` instructions, by value index."""
        return self._load()[0]

    @property
    def metas(self) -> Mapping[int, Meta]:
        """The metas of the constants, with elements where the constant is an array."""
        return self._load()[1]

    @property
    def can_be_open(self) -> bool:
        """Whether the plan can be bound without its sizes: it has no regions, and no kernels take LoDs."""
        return all(
            item.region is None and (kernel is None or not kernel.takes_lods)
            for item, kernel in zip(self.plan.instructions, self.kernels, strict=True)
        )

    def aligned(self, index: int) -> Any:
        """A constant for kernels to read: itself, or its one copy that is aligned and contiguous."""
        value = self.constants[index]
        if not isinstance(value, np.ndarray) or (value.flags.aligned and value.flags.c_contiguous):
            return value
        with self._lock:
            if index not in self._copied:
                self._copied[index] = np.require(value, requirements=["C", "A"])
                release_pages(value)
            return self._copied[index]

    @property
    def copied_bytes(self) -> int:
        """Bytes of the aligned copies made so far, in sub-blocks, too."""
        return self._sum(lambda state: sum(array.nbytes for array in state._copied.values()))

    @property
    def packed_bytes(self) -> int:
        """Bytes of packed weights that are not views of weights, in sub-blocks, too."""
        return self._sum(_packed_bytes)

    def _sum(self, size: Callable[[PlanState], int]) -> int:
        with self._lock:
            total = size(self)
        return total + sum(block._sum(size) for blocks in self.blocks for block in blocks)

    def prepared_arrays(self, prefix: str = "") -> Iterator[tuple[str, Array]]:
        """The arrays that `prepared` returned so far, in sub-blocks, too, by the names that `packs` has."""
        with self._lock:
            prepared = dict(self._prepared)
        weights = _weights(self)
        for (instruction, name), array in prepared.items():
            if not _shares(array, weights):
                yield f"{prefix}{instruction} {name}", array
        for position, blocks in enumerate(self.blocks):
            for n, block in enumerate(blocks):
                yield from block.prepared_arrays(f"{prefix}{position}.{n}/")

    def prepared(self, instruction: int, name: str, make: Callable[[], Array]) -> Array:
        """The array that `make` returned for this instruction and `name` the first time, in any process.

        Instructions of one kernel with the same constants and attributes share it, as layers of some networks
        have the same weights.
        """
        with self._lock:
            instruction = self._first_alike(instruction)
            key = (instruction, name)
            if key not in self._prepared:
                packs = self._packs
                self._prepared[key] = make() if packs is None else packs.get(instruction, name, make)
                self._release_weights(instruction)
            return self._prepared[key]

    def _first_alike(self, instruction: int) -> int:
        """The first instruction that was asked about and packs the same as this one."""
        first = self._alike.get(instruction)
        if first is None:
            item = self.plan.instructions[instruction]
            known = tuple(
                (slot, place, index)
                for slot, indices in item.inputs.items()
                for place, index in enumerate(indices)
                if self._is_weight(index)
            )
            key = item.op, item.place, repr(item.attrs), known
            first = self._firsts.setdefault(key, instruction) if known else instruction
            self._alike[instruction] = first
        return first

    def _is_weight(self, index: int) -> bool:
        """Whether a value is a constant here, or in the plan that this one derives from."""
        return index in self.constants

    def _release_weights(self, instruction: int) -> None:
        """Take mapped weights out of memory that an instruction has just packed: few are read again."""
        for indices in self.plan.instructions[instruction].inputs.values():
            for index in indices:
                weight = self.plan.constants.get(index)
                if weight is not None:
                    release_pages(weight)

    def _make_blocks(self) -> tuple[tuple[PlanState, ...], ...]:
        packs = self._packs
        return tuple(
            tuple(
                PlanState(block, self._make_engine, packs and packs.sub_block(position, n), self.limits)
                for n, block in enumerate(item.blocks)
            )
            for position, item in enumerate(self.plan.instructions)
        )

    def _make_engines(self) -> tuple[SubgraphEngine | None, ...]:
        return tuple(
            None if item.region is None else self._engine(item.region) for item in self.plan.instructions
        )

    def _engine(self, region: Region) -> SubgraphEngine:
        if self._make_engine is None:
            raise ExecutionError(f"region {region.id} of the plan: this runtime has no settings for regions")
        return self._make_engine(region)

    def _find_once(self) -> frozenset[int]:
        constants = set(self.plan.constants)
        once: set[int] = set()
        for position, (item, schema) in enumerate(zip(self.plan.instructions, self.schemas, strict=True)):
            if schema.once and constants.issuperset(i for ids in item.inputs.values() for i in ids):
                once.add(position)
                constants.update(i for ids in item.outputs.values() for i in ids)
        return frozenset(once)

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
        """Compute the result of a `once` instruction, whose kernel takes X and returns one value."""
        item, kernel = self.plan.instructions[position], self.kernels[position]
        if kernel is None:
            raise ExecutionError(f"op {position}: {item.op} has no kernel")
        [source], [out] = item.inputs["X"], item.outputs["Out"]
        [meta] = infer(self.schemas[position], {"X": [metas[source]]}, item.attrs, {"Out": 1})["Out"]
        kernel = runnable(kernel)
        try:
            result = kernel.run(values[source], **kernel.keywords(item.attrs))
        except KERNEL_ERRORS as error:
            failed = f"op {position}: {item.op}(X={metas[source]}) on {kernel.place} failed"
            raise ExecutionError(f"{failed}: {type(error).__name__}: {error}") from error
        values[out] = result
        is_array = isinstance(result, np.ndarray)
        metas[out] = Meta.of(result) if is_array else Meta(meta.dtype, meta.shape, None, meta.lod)


def _packed_bytes(state: PlanState) -> int:
    weights = _weights(state)
    return sum(array.nbytes for array in state._prepared.values() if not _shares(array, weights))


def _weights(state: PlanState) -> list[Array]:
    return [array for array in state.plan.constants.values() if array.size]


def _shares(array: Array, weights: Sequence[Array]) -> bool:
    return any(np.may_share_memory(array, weight) for weight in weights)
