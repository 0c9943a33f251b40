"""Part of a plan: the instructions that compute some of its values from others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lite.dataclass import dataclass
from lite.errors import InputError
from lite.plan.assemble import assemble_plan, every_index
from lite.plan.plan import Instruction, Plan


@dataclass(frozen=True)
class Part:
    """A plan with numbers of its own.

    `positions` are the numbers of its instructions in the whole plan, `values` the numbers of its values.
    """

    plan: Plan
    positions: tuple[int, ...]
    values: tuple[int, ...]


def part_of(plan: Plan, inputs: Sequence[int], outputs: Sequence[int]) -> Part:
    """The instructions that compute `outputs` from `inputs`, which are values of `plan` by number.

    The arguments of the part are `inputs`, its results `outputs`, in these orders.  Instructions that are
    not needed for that are left out.  Raises `InputError` where the outputs depend on an argument of
    `plan` that is not among the inputs.
    """
    positions = _needed(plan, inputs, outputs)
    items = [plan.instructions[position] for position in positions]
    read = {index for item in items for index in every_index(item.inputs)} | set(outputs)
    constants = sorted(plan.constants.keys() & (read - set(inputs)))
    written = [index for item in items for index in every_index(item.outputs)]
    values = [*inputs, *constants, *written]
    writes = {index: n for n, index in enumerate(values)}
    # An input is read as given, even if an instruction that is needed for another output computes it, too.
    reads = {**writes, **{index: n for n, index in enumerate(inputs)}}
    moved = [_renumbered(item, reads, writes) for item in items]
    roots = _roots(plan, moved, values)
    part = assemble_plan(
        plan.name,
        [replace(plan.values[index], root=root) for index, root in zip(values, roots, strict=True)],
        tuple(range(len(inputs))),
        tuple(reads[index] for index in outputs),
        tuple(plan.values[index].name for index in outputs),
        moved,
        {reads[index]: plan.constants[index] for index in constants},
    )
    return Part(part, tuple(positions), tuple(values))


def _needed(plan: Plan, inputs: Sequence[int], outputs: Sequence[int]) -> list[int]:
    """The positions of the instructions that `outputs` depend on, up to `inputs`, in running order."""
    known = {*inputs, *plan.constants}
    pending = set(outputs) - known
    positions = []
    for position in reversed(range(len(plan.instructions))):
        item = plan.instructions[position]
        if pending.isdisjoint(every_index(item.outputs)):
            continue
        positions.append(position)
        pending.difference_update(every_index(item.outputs))
        pending.update(index for index in every_index(item.inputs) if index not in known)
    if pending:
        missing = ", ".join(repr(plan.values[index].name) for index in sorted(pending))
        names = ", ".join(repr(plan.values[index].name) for index in outputs)
        raise InputError(
            f"{names} cannot be computed from what is given: {missing} is needed too; "
            "give it, or values that are computed from it"
        )
    return positions[::-1]


def _renumbered(item: Instruction, reads: Mapping[int, int], writes: Mapping[int, int]) -> Instruction:
    return replace(
        item,
        inputs={slot: tuple(reads[index] for index in indices) for slot, indices in item.inputs.items()},
        outputs={slot: tuple(writes[index] for index in indices) for slot, indices in item.outputs.items()},
        inplace=tuple((writes[out], reads[source]) for out, source in item.inplace),
    )


def _roots(plan: Plan, items: Sequence[Instruction], values: Sequence[int]) -> list[int]:
    """For each value of the part the value whose bytes it shares, itself if there is none."""
    roots = list(range(len(values)))
    for item in items:
        read = list(every_index(item.inputs))
        for index in every_index(item.outputs):
            root = plan.values[values[index]].root
            same = (other for other in read if plan.values[values[other]].root == root)
            source = next(same, None) if root != values[index] else None
            roots[index] = index if source is None else roots[source]
    return roots
