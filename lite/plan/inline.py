"""A plan with the branches in place that are known to be taken, and without the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lite.ir.build import CONDITIONAL
from lite.ops import get_schema
from lite.plan.lifetimes import every_index, with_lifetimes
from lite.plan.lod import lod_sources, reads_lod
from lite.plan.plan import Instruction, Plan, ValueInfo

SELECT = "select_input"
"""The op that passes on what one of several branches computed."""

OUTER = -1
"""Stands for the plan itself where a block is named by the number of its instruction."""

Origin = tuple[int, int]
"""A block, or `OUTER`, and the number of an instruction or value in it."""


@dataclass(frozen=True)
class Inlined:
    """The plan, and where its instructions and values come from."""

    plan: Plan
    instructions: tuple[Origin, ...]
    values: tuple[Origin, ...]


def inlined(plan: Plan, choices: Mapping[int, int]) -> Inlined | None:
    """The plan in which `choices` hold; None where none of them can be used.

    They say by instruction whether a ``conditional_block`` is taken (1) or not (0), and which input a
    ``select_input`` passes on.  One is left to the run where tensor arrays or objects of a target cross
    it, and where something reads what a branch that is not taken would compute.  What only computes
    conditions that are known is left out.
    """
    usable = _usable(plan, choices)
    return _Inliner(plan, usable).run() if usable else None


def carried_count(item: Instruction) -> int:
    """How many inputs of a control-flow instruction are returned where its block does not run."""
    carried = item.attrs.get("carried", 0)
    return carried if isinstance(carried, int) else 0


def _usable(plan: Plan, choices: Mapping[int, int]) -> dict[int, int]:
    found = {n: choice for n, choice in choices.items() if _is_plain(plan, plan.instructions[n])}
    while True:
        read = set(plan.results)
        for position, item in enumerate(plan.instructions):
            read.update(_read(item, found.get(position)))
        wrong = [n for n in found if not read.isdisjoint(_missing(plan.instructions[n], found[n]))]
        if not wrong:
            return found
        for n in wrong:
            del found[n]


def _is_plain(plan: Plan, item: Instruction) -> bool:
    """Whether only arrays go into and come out of an instruction and its blocks."""
    infos = [plan.values[index] for index in (*every_index(item.inputs), *every_index(item.outputs))]
    infos += [block.values[index] for block in item.blocks for index in (*block.args, *block.results)]
    return not any(info.is_array or info.opaque for info in infos)


def _read(item: Instruction, choice: int | None) -> Iterable[int]:
    """The values that stay necessary."""
    if choice is None:
        return every_index(item.inputs)
    if item.op == SELECT:
        return [item.inputs["X"][choice]]
    inputs = item.inputs.get("Input", ())
    return inputs if choice else inputs[: carried_count(item)]


def _missing(item: Instruction, choice: int) -> Sequence[int]:
    """The outputs that nothing computes."""
    is_skipped = item.op in CONDITIONAL and not choice
    return item.outputs.get("Out", ())[carried_count(item) :] if is_skipped else ()


class _Inliner:
    def __init__(self, plan: Plan, choices: Mapping[int, int]) -> None:
        self.plan = plan
        self.same: dict[Origin, Origin] = {}
        """Values that are another one."""
        self.items: list[tuple[Origin, Instruction]] = []
        for position, item in enumerate(plan.instructions):
            self._add(position, item, choices.get(position))

    def run(self) -> Inlined:
        results = [self._found(OUTER, index) for index in self.plan.results]
        self._drop_unread(results)
        numbers = self._numbers(results)
        moved = [self._renumbered(block, item, numbers) for (block, _), item in self.items]
        args = tuple(range(len(self.plan.args)))
        ends = tuple(numbers[origin] for origin in results)
        infos = [self._info(origin) for origin in numbers]
        infos = with_lifetimes(moved, infos, _roots(moved, infos), ends)
        items = tuple(_without_shared(item, position, infos) for position, item in enumerate(moved))
        lods = reads_lod(items)
        plan = Plan(
            self.plan.name,
            tuple(infos),
            args,
            ends,
            self.plan.result_names,
            items,
            {n: self._plan(block).constants[index] for (block, index), n in numbers.items()
             if index in self._plan(block).constants},
            lods,
            () if lods else lod_sources(items, args, ends),
        )  # fmt: skip
        return Inlined(plan, tuple(origin for origin, _ in self.items), tuple(numbers))

    def _add(self, position: int, item: Instruction, choice: int | None) -> None:
        if choice is None:
            self.items.append(((OUTER, position), item))
            return
        if item.op == SELECT:
            self.same[OUTER, item.outputs["Out"][0]] = OUTER, item.inputs["X"][choice]
            return
        inputs, outs = item.inputs.get("Input", ()), item.outputs.get("Out", ())
        if not choice:
            for out, given in zip(outs[: carried_count(item)], inputs, strict=False):
                self.same[OUTER, out] = OUTER, given
            return
        [block] = item.blocks
        for argument, given in zip(block.args, inputs, strict=True):
            self.same[position, argument] = OUTER, given
        for out, result in zip(outs, block.results, strict=True):
            self.same[OUTER, out] = position, result
        self.items += [((position, n), inner) for n, inner in enumerate(block.instructions)]

    def _plan(self, block: int) -> Plan:
        return self.plan if block == OUTER else self.plan.instructions[block].blocks[0]

    def _info(self, origin: Origin) -> ValueInfo:
        block, index = origin
        return self._plan(block).values[index]

    def _found(self, block: int, index: int) -> Origin:
        origin = block, index
        while origin in self.same:
            origin = self.same[origin]
        return origin

    def _drop_unread(self, results: Iterable[Origin]) -> None:
        """Drop what neither a result nor an effect needs."""
        live = set(results)
        kept = []
        for origin, item in reversed(self.items):
            schema, block = get_schema(item.op), origin[0]
            outputs = {(block, index) for index in every_index(item.outputs)}
            if schema.effect or schema.control_flow or not live.isdisjoint(outputs):
                live.update(self._found(block, index) for index in every_index(item.inputs))
                kept.append((origin, item))
        self.items = kept[::-1]

    def _numbers(self, results: Iterable[Origin]) -> dict[Origin, int]:
        """New numbers: arguments, constants, then what instructions write, in their order."""
        args = [(OUTER, index) for index in self.plan.args]
        read = set(results)
        written = []
        for (block, _), item in self.items:
            read.update(self._found(block, index) for index in every_index(item.inputs))
            written += [(block, index) for index in every_index(item.outputs)]
        constants = sorted(read - set(args) - set(written))
        return {origin: n for n, origin in enumerate([*args, *constants, *written])}

    def _renumbered(self, block: int, item: Instruction, numbers: Mapping[Origin, int]) -> Instruction:
        def moved(index: int) -> int:
            return numbers[self._found(block, index)]

        return replace(
            item,
            inputs={slot: tuple(map(moved, indices)) for slot, indices in item.inputs.items()},
            outputs={
                slot: tuple(numbers[block, index] for index in indices)
                for slot, indices in item.outputs.items()
            },
            inplace=tuple((numbers[block, out], moved(taken)) for out, taken in item.inplace),
        )


def _roots(items: Sequence[Instruction], infos: Sequence[ValueInfo]) -> list[int]:
    """In which value each one lies, as the instructions tell; views stay views."""
    roots = list(range(len(infos)))
    for item in items:
        for slot, source in (get_schema(item.op).view or {}).items():
            outs, sources = item.outputs.get(slot, ()), item.inputs.get(source, ())
            if len(outs) == len(sources) == 1 and not infos[outs[0]].opaque:
                roots[outs[0]] = roots[sources[0]]
    return roots


def _without_shared(item: Instruction, position: int, infos: Sequence[ValueInfo]) -> Instruction:
    """The instruction, taking over only buffers that it alone reads, and last."""
    kept = []
    for out, taken in item.inplace:
        root = infos[taken].root
        others = [index for index in every_index(item.inputs) if index != taken]
        shared = any(infos[index].root == root for index in others)
        if infos[root].first >= 0 and infos[root].last == position and not shared:
            kept.append((out, taken))
    return replace(item, inplace=tuple(kept))
