"""Runtimes of a plan whose branches are known, kept by what decides them."""

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
from lite.runtime.nested import MakeRuntime, NestedRuntime
from lite.runtime.plan_state import PlanState
from lite.runtime.segment import signature

MAX_SIGNATURES = 16
"""Input signatures that branches are chosen for; what was asked for longest ago goes first."""

MAX_VALUES = 4
"""Different elements of conditions that branches are chosen for; for others a run decides."""

MAX_ELEMENTS = 8
"""Most elements of an argument that a choice may depend on."""

KINDS = ("b", "u", "i")
"""Kinds of element types, as numpy calls them, that a choice may depend on."""

Values = tuple[bytes | None, ...]


class InlinedRuntimes:
    """The runtimes of a plan with the branches that are known, one for each signature.

    With `by_value` the elements of small integer arguments belong to the signature, where conditions
    depend on nothing else; not for a block of a loop, whose counters are different each time.
    """

    def __init__(self, state: PlanState, make: MakeRuntime, *, by_value: bool) -> None:
        self._state = state
        self._make = make
        self._deciding = _deciding_arguments(state) if by_value else ()
        self._found: OrderedDict[Hashable, dict[Values, NestedRuntime | None]] = OrderedDict()

    @property
    def runtimes(self) -> list[NestedRuntime]:
        """Those there are now."""
        found = (runtime for runtimes in self._found.values() for runtime in runtimes.values())
        return [runtime for runtime in found if runtime is not None]

    def runtime(self, args: Sequence[Any], lods: Sequence[Lod], *, seen: bool = True) -> NestedRuntime | None:
        """The one for these arguments, whose elements are `seen`; None where no branch is known."""
        key = tuple(map(signature, args, lods))
        values = tuple([_elements(args[n]) if seen else None for n in self._deciding])
        runtimes = self._found.get(key)
        if runtimes is None:
            runtimes = self._found[key] = {}
            if len(self._found) > MAX_SIGNATURES:
                self._found.popitem(last=False)
        else:
            self._found.move_to_end(key)
        if values not in runtimes and len(runtimes) >= MAX_VALUES:
            values = (None,) * len(values)
        if values not in runtimes:
            runtimes[values] = self._chosen(args, lods, values)
        return runtimes[values]

    def _chosen(self, args: Sequence[Any], lods: Sequence[Lod], values: Values) -> NestedRuntime | None:
        if not all(isinstance(value, np.ndarray) for value in args):
            return None
        known = {n for n, value in zip(self._deciding, values, strict=True) if value is not None}
        given = [
            Meta.of(np.array(value) if n in known else value, lod, known=n in known)
            for n, (value, lod) in enumerate(zip(args, lods, strict=True))
        ]
        state = self._state
        while True:
            metas = {**state.metas, **dict(zip(state.plan.args, given, strict=True))}
            found = inlined(state.plan, known_choices(state, metas))
            if found is None:
                return None if state is self._state else self._make(state)
            origins = [
                [(_block_state(state, block), n) for block, n in each]
                for each in (found.values, found.instructions)
            ]
            state = DerivedState(found.plan, *origins)


def has_branches(state: PlanState) -> bool:
    """Whether anything could be chosen."""
    return any(item.op in CONDITIONAL for item in state.plan.instructions)


def _block_state(whole: PlanState, block: int) -> PlanState:
    return whole if block == OUTER else whole.blocks[block][0]


def _elements(value: Any) -> bytes | None:
    is_small = isinstance(value, np.ndarray) and value.size <= MAX_ELEMENTS and value.dtype.kind in KINDS
    return value.tobytes() if is_small else None


def _deciding_arguments(state: PlanState) -> tuple[int, ...]:
    """Positions of the small arguments whose elements alone decide some condition."""
    plan = state.plan
    made = {
        index: (item, position)
        for position, item in enumerate(plan.instructions)
        for indices in item.outputs.values()
        for index in indices
    }
    places = {index: n for n, index in enumerate(plan.args)}
    found: set[int] = set()
    for item in plan.instructions:
        if item.op in CONDITIONAL:
            needed = _needed(state, item.inputs.get("Cond", ()), made)
            if needed is not None and all(_may_be_small(plan.values[index]) for index in needed):
                found.update(places[index] for index in needed)
    return tuple(sorted(found))


def _needed(
    state: PlanState, wanted: Sequence[int], made: Mapping[int, tuple[Instruction, int]]
) -> set[int] | None:
    """The arguments whose elements `wanted` depends on; None where not only pure ops are between."""
    pending, seen, args = list(wanted), set(wanted), set()
    while pending:
        index = pending.pop()
        if index in state.plan.args:
            args.add(index)
        if index not in made:
            continue
        item, position = made[index]
        schema = state.schemas[position]
        if not schema.foldable or schema.effect or schema.control_flow:
            return None
        read = [] if item.op == "shape" else [n for ids in item.inputs.values() for n in ids]
        pending += [n for n in read if n not in seen]
        seen.update(read)
    return args


def _may_be_small(info: ValueInfo) -> bool:
    kind = "" if info.dtype is None else info.dtype.numpy.kind
    sizes = [dim for dim in info.shape or () if isinstance(dim, int)]
    return kind in KINDS and math.prod(sizes) <= MAX_ELEMENTS
