"""Part of a plan: what leads from some of its values to others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lite.errors import InputError
from lite.plan.lifetimes import every_index, with_lifetimes
from lite.plan.lod import lod_sources, reads_lod
from lite.plan.plan import Instruction, Plan, ValueInfo


@dataclass(frozen=True)
class Part:
    """A plan of its own, with numbers of its own.

    `positions` are its instructions' numbers in the whole plan, `values` those of its values.
    """

    plan: Plan
    positions: tuple[int, ...]
    values: tuple[int, ...]


def part_of(plan: Plan, given: Sequence[int], wanted: Sequence[int]) -> Part:
    """The instructions that compute `wanted` from `given`, which are values of `plan` by number.

    The part's arguments are `given`, its results `wanted`, in that order.  What `given` makes needless
    is left out.  Raises `InputError` when an argument of `plan` is needed and not given.
    """
    positions = _needed(plan, given, wanted)
    items = [plan.instructions[position] for position in positions]
    read = {index for item in items for index in every_index(item.inputs)} | set(wanted)
    constants = sorted(plan.constants.keys() & (read - set(given)))
    written = [index for item in items for index in every_index(item.outputs)]
    values = [*given, *constants, *written]
    writes = {index: n for n, index in enumerate(values)}
    # What is given is read even where an instruction that is needed for something else computes it.
    reads = {**writes, **{index: n for n, index in enumerate(given)}}
    moved = [_renumbered(item, reads, writes) for item in items]
    args, results = tuple(range(len(given))), tuple(reads[index] for index in wanted)
    infos = with_lifetimes(
        moved, [plan.values[index] for index in values], _roots(plan, moved, values), results
    )
    instructions = tuple(
        replace(item, inplace=tuple(pair for pair in item.inplace if _is_free(infos, pair[1], position)))
        for position, item in enumerate(moved)
    )
    lods = reads_lod(instructions)
    part = Plan(
        plan.name,
        tuple(infos),
        args,
        results,
        tuple(plan.values[index].name for index in wanted),
        instructions,
        {reads[index]: plan.constants[index] for index in constants},
        lods,
        () if lods else lod_sources(instructions, args, results),
    )
    return Part(part, tuple(positions), tuple(values))


def _needed(plan: Plan, given: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """The instructions that `wanted` depends on, up to `given`, in running order."""
    known = {*given, *plan.constants}
    pending = set(wanted) - known
    positions = []
    for position in reversed(range(len(plan.instructions))):
        item = plan.instructions[position]
        if pending.isdisjoint(every_index(item.outputs)):
            continue
        positions.append(position)
        pending.difference_update(every_index(item.outputs))
        pending.update(index for index in every_index(item.inputs) if index not in known)
    if pending:
        needed = ", ".join(repr(plan.values[index].name) for index in sorted(pending))
        names = ", ".join(repr(plan.values[index].name) for index in wanted)
        raise InputError(
            f"{names} cannot be computed from what is given: {needed} is needed too; "
            "give it, or values that are computed from it"
        )
    return positions[::-1]


def _renumbered(item: Instruction, reads: Mapping[int, int], writes: Mapping[int, int]) -> Instruction:
    return replace(
        item,
        inputs={slot: tuple(reads[index] for index in indices) for slot, indices in item.inputs.items()},
        outputs={slot: tuple(writes[index] for index in indices) for slot, indices in item.outputs.items()},
        inplace=tuple((writes[out], reads[taken]) for out, taken in item.inplace),
    )


def _roots(plan: Plan, items: Sequence[Instruction], values: Sequence[int]) -> list[int]:
    """In which value each one lies in the part."""
    roots = list(range(len(values)))
    for item in items:
        read = list(every_index(item.inputs))
        for index in every_index(item.outputs):
            root = plan.values[values[index]].root
            same = (other for other in read if plan.values[values[other]].root == root)
            source = next(same, None) if root != values[index] else None
            roots[index] = index if source is None else roots[source]
    return roots


def _is_free(infos: Sequence[ValueInfo], index: int, position: int) -> bool:
    """Whether the bytes of a value are read last by the instruction at `position`, and may be written."""
    root = infos[infos[index].root]
    return root.first >= 0 and root.last == position
