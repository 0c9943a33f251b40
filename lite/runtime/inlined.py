"""Runtimes of a plan whose branches are known, kept by what decides them."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lite.ir.build import CONDITIONAL
from lite.ir.types import Array, Lod
from lite.ops import Meta
from lite.plan import Instruction, ValueInfo
from lite.plan.inline import OUTER, Inlined, inlined
from lite.runtime.binding.choices import known_choices
from lite.runtime.plan_state import Shared
from lite.runtime.segment import signature

if TYPE_CHECKING:
    from lite.runtime.executor import Runtime

MAX_SIGNATURES = 16
"""Input signatures that branches are chosen for; what was asked for longest ago goes first."""

MAX_VALUES = 4
"""Different elements of conditions that branches are chosen for; for others a run decides."""

MAX_ELEMENTS = 8
"""Most elements of an argument that a choice may depend on."""

KINDS = ("b", "u", "i")
"""Kinds of element types, as numpy calls them, that a choice may depend on."""

Values = tuple[bytes | None, ...]


class InlinedShared(Shared):
    """What runtimes of an inlined plan share: all that it can have from the one it was made of."""

    def __init__(self, found: Inlined, whole: Shared) -> None:
        self._origins = [(_source(whole, block), n) for block, n in found.instructions]
        super().__init__(found.plan, whole.regions)
        self.blocks = tuple(source.blocks[n] for source, n in self._origins)
        self.engines = tuple(source.engines[n] for source, n in self._origins)
        self._values = [(_source(whole, block), n) for block, n in found.values]
        self._loaded = self._loaded_by_sources()

    def aligned(self, index: int) -> Any:
        """A constant as its source has it."""
        source, number = self._values[index]
        return source.aligned(number)

    def prepared(self, instruction: int, name: str, make: Callable[[], Array]) -> Array:
        """What the source's instruction has under `name`."""
        source, number = self._origins[instruction]
        return source.prepared(number, name, make)

    def _find_once(self) -> frozenset[int]:
        return frozenset(n for n, (source, number) in enumerate(self._origins) if number in source.once)

    def _loaded_by_sources(self) -> tuple[dict[int, Any], dict[int, Meta]]:
        known = [n for n, (source, number) in enumerate(self._values) if number in source.constants]
        places = {n: self._values[n] for n in known}
        values = {n: source.constants[number] for n, (source, number) in places.items()}
        return values, {n: source.metas[number] for n, (source, number) in places.items()}


class InlinedRuntimes:
    """The runtimes of a plan with the branches that are known, one for each signature.

    With `by_value` the elements of small integer arguments belong to the signature, where conditions
    depend on nothing else; not for a block of a loop, whose counters are different each time.
    """

    def __init__(self, shared: Shared, make: Callable[[Shared], Runtime], *, by_value: bool) -> None:
        self._shared = shared
        self._make = make
        self._deciding = _deciding_arguments(shared) if by_value else ()
        self._found: OrderedDict[Hashable, dict[Values, Runtime | None]] = OrderedDict()

    @property
    def runtimes(self) -> list[Runtime]:
        """Those there are now."""
        found = (runtime for runtimes in self._found.values() for runtime in runtimes.values())
        return [runtime for runtime in found if runtime is not None]

    def runtime(self, args: Sequence[Any], lods: Sequence[Lod], *, seen: bool = True) -> Runtime | None:
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

    def _chosen(self, args: Sequence[Any], lods: Sequence[Lod], values: Values) -> Runtime | None:
        if not all(isinstance(value, np.ndarray) for value in args):
            return None
        known = {n for n, value in zip(self._deciding, values, strict=True) if value is not None}
        given = [
            Meta.of(np.array(value) if n in known else value, lod, known=n in known)
            for n, (value, lod) in enumerate(zip(args, lods, strict=True))
        ]
        shared = self._shared
        while True:
            metas = {**shared.metas, **dict(zip(shared.plan.args, given, strict=True))}
            found = inlined(shared.plan, known_choices(shared, metas))
            if found is None:
                return None if shared is self._shared else self._make(shared)
            shared = InlinedShared(found, shared)


def has_branches(shared: Shared) -> bool:
    """Whether anything could be chosen."""
    return any(item.op in CONDITIONAL for item in shared.plan.instructions)


def _source(whole: Shared, block: int) -> Shared:
    return whole if block == OUTER else whole.blocks[block][0]


def _elements(value: Any) -> bytes | None:
    is_small = isinstance(value, np.ndarray) and value.size <= MAX_ELEMENTS and value.dtype.kind in KINDS
    return value.tobytes() if is_small else None


def _deciding_arguments(shared: Shared) -> tuple[int, ...]:
    """Positions of the small arguments whose elements alone decide some condition."""
    plan = shared.plan
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
            needed = _needed(shared, item.inputs.get("Cond", ()), made)
            if needed is not None and all(_may_be_small(plan.values[index]) for index in needed):
                found.update(places[index] for index in needed)
    return tuple(sorted(found))


def _needed(
    shared: Shared, wanted: Sequence[int], made: Mapping[int, tuple[Instruction, int]]
) -> set[int] | None:
    """The arguments whose elements `wanted` depends on; None where not only pure ops are between."""
    pending, seen, args = list(wanted), set(wanted), set()
    while pending:
        index = pending.pop()
        if index in shared.plan.args:
            args.add(index)
        if index not in made:
            continue
        item, position = made[index]
        schema = shared.schemas[position]
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
