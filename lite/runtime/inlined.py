"""InlinedRuntimes: runtimes of a plan whose branches are known before the run.

The condition of a branch may follow from the input signature, or from the elements of small integer
arguments.  The plan for such arguments has the ops of the branches that are taken in place of the branches
(`lite.plan.inline`).
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from lite.ir.build import CONDITIONAL
from lite.ir.types import Lod
from lite.ops import Meta
from lite.plan import Instruction, ValueInfo
from lite.plan.inline import OUTER, inlined
from lite.runtime.binding.choices import known_choices
from lite.runtime.derived_state import DerivedState
from lite.runtime.nested import KINDS, MAX_ELEMENTS, MakeRuntime, NestedRuntime, elements_of
from lite.runtime.open_signatures import OpenSignatures, open_metas
from lite.runtime.plan_state import PlanState
from lite.runtime.segment import signature

MAX_SIGNATURES = 16
"""Number of input signatures that keep their runtimes; the least recently used is dropped first."""

MAX_VALUES = 4
"""Number of different elements per signature that get runtimes; for others, the run takes the branches."""

Elements = tuple[bytes | None, ...]
"""The elements of the deciding arguments; None for an argument whose elements are not used."""


class InlinedRuntimes:
    """The runtimes of a plan without the branches that are known, by input signature.

    With `by_value`, the signature includes the elements of the small integer arguments that alone decide a
    condition.  It is off for the body of a loop, whose counter always changes.
    """

    def __init__(self, state: PlanState, make_runtime: MakeRuntime, *, by_value: bool) -> None:
        self._state = state
        self._make_runtime = make_runtime
        self._deciding = _deciding_arguments(state) if by_value else ()
        self._last: Elements = (None,) * len(self._deciding)
        self._runtimes: OrderedDict[Hashable, dict[Elements, NestedRuntime | None]] = OrderedDict()
        self._open = OpenSignatures()
        self._open_runtimes: dict[Hashable, NestedRuntime | None] = {}

    @property
    def last_elements(self) -> Sequence[tuple[int, bytes | None]]:
        """The elements of the deciding arguments, by number, for which a runtime was found last."""
        return list(zip(self._deciding, self._last, strict=True))

    @property
    def runtimes(self) -> list[NestedRuntime]:
        """All runtimes made so far and still kept."""
        exact = (runtime for runtimes in self._runtimes.values() for runtime in runtimes.values())
        return [runtime for runtime in (*exact, *self._open_runtimes.values()) if runtime is not None]

    def find(
        self, args: Sequence[Any], lods: Sequence[Lod], *, use_elements: bool = True
    ) -> NestedRuntime | None:
        """The runtime for these arguments, made if needed; None where no branch is known.

        Without `use_elements` the elements of the arguments are unknown.
        """
        key: Hashable = tuple(map(signature, args, lods))
        elements = tuple([elements_of(args[n]) if use_elements else None for n in self._deciding])
        self._last = elements
        runtimes = self._runtimes.get(key)
        if runtimes is None and not self._deciding:
            open_key = self._open_key(args, lods)
            if open_key is not None:
                return self._open_runtimes[open_key]
        if runtimes is None:
            runtimes = self._runtimes[key] = {}
            if len(self._runtimes) > MAX_SIGNATURES:
                self._runtimes.popitem(last=False)
        else:
            self._runtimes.move_to_end(key)
        if elements not in runtimes and len(runtimes) >= MAX_VALUES:
            elements = (None,) * len(elements)
        if elements not in runtimes:
            runtimes[elements] = self._make(args, lods, elements)
        return runtimes[elements]

    def _open_key(self, args: Sequence[Any], lods: Sequence[Lod]) -> Hashable:
        """The key of the runtime for all arguments that differ in some sizes; None to use the exact ones.

        That is where a condition depends on these sizes.  Conditions that depend on data stay, as they do
        where all sizes are known.
        """
        if not all(isinstance(value, np.ndarray) for value in args):
            return None
        key = tuple((value.shape, value.dtype, lod) for value, lod in zip(args, lods, strict=True))
        sizes = self._open.sizes(key)
        if sizes is None:
            return None
        open_key = sizes, tuple((dtype, lod) for _, dtype, lod in key)
        if open_key not in self._open_runtimes:
            metas = [Meta.of(value, known=False) for value in args]
            runtime = self._resolved(open_metas(metas, sizes))
            if _branches(self._state if runtime is None else runtime.state) > self._fewest_branches():
                self._open.close(key)
                return None
            if runtime is not None:
                runtime.signatures.follow(key, sizes)
            self._open_runtimes[open_key] = runtime
        return open_key

    def _fewest_branches(self) -> int:
        """The branches that are left where all sizes are known: their conditions depend on data."""
        exact = (each for runtimes in self._runtimes.values() for each in runtimes.values())
        return min((_branches(self._state if each is None else each.state) for each in exact), default=0)

    def _make(self, args: Sequence[Any], lods: Sequence[Lod], elements: Elements) -> NestedRuntime | None:
        if not all(isinstance(value, np.ndarray) for value in args):
            return None
        known = {n for n, content in zip(self._deciding, elements, strict=True) if content is not None}
        arg_metas = [
            Meta.of(np.array(value) if n in known else value, lod, known=n in known)
            for n, (value, lod) in enumerate(zip(args, lods, strict=True))
        ]
        return self._resolved(arg_metas)

    def _resolved(self, arg_metas: Sequence[Meta]) -> NestedRuntime | None:
        state = self._state
        # Each round resolves the branches of one level; branches inside them are then in the plan itself.
        while True:
            metas = {**state.metas, **dict(zip(state.plan.args, arg_metas, strict=True))}
            result = inlined(state.plan, known_choices(state, metas))
            if result is None:
                return None if state is self._state else self._make_runtime(state)
            origins = [
                [(_block_state(state, block), n) for block, n in each]
                for each in (result.values, result.instructions)
            ]
            state = DerivedState(result.plan, *origins)


def has_branches(state: PlanState) -> bool:
    """Whether a plan has branches to resolve."""
    return _branches(state) > 0


def _branches(state: PlanState) -> int:
    return sum(item.op in CONDITIONAL for item in state.plan.instructions)


def _block_state(state: PlanState, block: int) -> PlanState:
    return state if block == OUTER else state.blocks[block][0]


def _deciding_arguments(state: PlanState) -> tuple[int, ...]:
    """Positions of the small arguments whose elements alone decide some condition."""
    plan = state.plan
    producers = {
        index: (item, position)
        for position, item in enumerate(plan.instructions)
        for indices in item.outputs.values()
        for index in indices
    }
    positions = {index: n for n, index in enumerate(plan.args)}
    deciding: set[int] = set()
    for item in plan.instructions:
        if item.op in CONDITIONAL:
            sources = _source_arguments(state, item.inputs.get("Cond", ()), producers)
            if sources is not None and all(_may_be_small(plan.values[index]) for index in sources):
                deciding.update(positions[index] for index in sources)
    return tuple(sorted(deciding))


def _source_arguments(
    state: PlanState, values: Sequence[int], producers: Mapping[int, tuple[Instruction, int]]
) -> set[int] | None:
    """The arguments whose elements `values` depend on; None where an op between is not a pure function."""
    pending, visited, args = list(values), set(values), set()
    while pending:
        index = pending.pop()
        if index in state.plan.args:
            args.add(index)
        if index not in producers:
            continue
        item, position = producers[index]
        schema = state.schemas[position]
        if not schema.foldable or schema.effect or schema.control_flow:
            return None
        inputs = [] if item.op == "shape" else [n for ids in item.inputs.values() for n in ids]
        pending += [n for n in inputs if n not in visited]
        visited.update(inputs)
    return args


def _may_be_small(info: ValueInfo) -> bool:
    kind = "" if info.dtype is None else info.dtype.numpy.kind
    sizes = [dim for dim in info.shape or () if isinstance(dim, int)]
    return kind in KINDS and math.prod(sizes) <= MAX_ELEMENTS
