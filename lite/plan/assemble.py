"""Assemble a plan from its instructions: lifetimes, valid in-place pairs and LoD sources follow from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from lite.ir.types import Array
from lite.ops import Trait, has_trait
from lite.plan.lod import lod_sources, reads_lod
from lite.plan.plan import Instruction, Plan, ValueInfo


def assemble_plan(
    name: str,
    values: Sequence[ValueInfo],
    args: tuple[int, ...],
    results: tuple[int, ...],
    result_names: tuple[str, ...],
    instructions: Sequence[Instruction],
    constants: Mapping[int, Array],
) -> Plan:
    """The plan of these instructions.

    The roots of `values` must be right; their lifetimes are computed here.  The in-place pairs of the
    instructions are candidates, of which the plan keeps those that overwrite no value which is still used.
    """
    infos = _with_lifetimes(values, instructions, results)
    items = tuple(
        replace(item, inplace=_valid_pairs(item, position, infos))
        for position, item in enumerate(instructions)
    )
    lods = reads_lod(items)
    sources = () if lods else lod_sources(items, args, results)
    return Plan(name, tuple(infos), args, results, result_names, items, constants, lods, sources)


def every_index(slots: Mapping[str, Sequence[int]]) -> Iterator[int]:
    """The values of all slots."""
    return (index for indices in slots.values() for index in indices)


def _with_lifetimes(
    values: Sequence[ValueInfo], instructions: Sequence[Instruction], results: Sequence[int]
) -> list[ValueInfo]:
    """The values with the positions of their first write and last read; a root lives as long as its views."""
    first = [-1] * len(values)
    for position, item in enumerate(instructions):
        for index in every_index(item.outputs):
            first[index] = position
    last = list(first)
    for position, item in enumerate(instructions):
        for index in every_index(item.inputs):
            last[index] = position
    for index in results:
        last[index] = len(instructions)
    for index, info in enumerate(values):
        last[info.root] = max(last[info.root], last[index])
    return [replace(info, first=first[n], last=last[n]) for n, info in enumerate(values)]


def _valid_pairs(item: Instruction, position: int, infos: Sequence[ValueInfo]) -> tuple[tuple[int, int], ...]:
    """The pairs whose input an instruction wrote, no later one reads, and no other input overlaps.

    An elementwise op may read the same value twice, as it reads an element before it writes there.
    """
    pairs: list[tuple[int, int]] = []
    for out, source in item.inplace:
        root, reads = infos[source].root, list(every_index(item.inputs))
        shared = any(index != source and infos[index].root == root for index in reads)
        shared |= reads.count(source) > 1 and not has_trait(item.op, Trait.ELEMENTWISE)
        if infos[root].first >= 0 and infos[root].last == position and not shared:
            pairs.append((out, source))
    return tuple(pairs)
