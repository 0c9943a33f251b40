"""Inline the branches of a plan that are known to be taken, and remove those that are not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from lite.dataclass import dataclass
from lite.ir.build import CONDITIONAL
from lite.ops import get_schema
from lite.plan.assemble import assemble_plan, every_index
from lite.plan.plan import Instruction, Plan, ValueInfo

SELECT = "select_input"
"""The op that returns the result of one of several branches."""

OUTER = -1
"""Stands for the plan itself where a block is named by the number of its instruction."""

Origin = tuple[int, int]
"""A block, or `OUTER`, and the number of an instruction or value in it."""


@dataclass(frozen=True)
class Inlined:
    """A plan with inlined branches, and the origins of its instructions and values."""

    plan: Plan
    instructions: tuple[Origin, ...]
    values: tuple[Origin, ...]


def inlined(plan: Plan, choices: Mapping[int, int]) -> Inlined | None:
    """The plan in which `choices` hold; None if none of them can be used.

    The choice of a ``conditional_block`` is whether its branch is taken, 1 or 0; the choice of a
    ``select_input`` is the number of the input that it returns.  A choice cannot be used where tensor
    arrays or objects of a target cross the branch, and where an instruction reads an output that only a
    branch which is not taken would compute.  Instructions that compute nothing but known conditions are
    removed.
    """
    usable = _usable(plan, choices)
    return _Inliner(plan, usable).run() if usable else None


def _usable(plan: Plan, choices: Mapping[int, int]) -> dict[int, int]:
    usable = {n: choice for n, choice in choices.items() if _has_only_arrays(plan, plan.instructions[n])}
    while True:
        read = set(plan.results)
        for position, item in enumerate(plan.instructions):
            read.update(_read(item, usable.get(position)))
        wrong = [n for n in usable if not read.isdisjoint(_missing(plan.instructions[n], usable[n]))]
        if not wrong:
            return usable
        for n in wrong:
            del usable[n]


def _has_only_arrays(plan: Plan, item: Instruction) -> bool:
    """Whether the inputs and outputs of an instruction and of its blocks are all arrays."""
    infos = [plan.values[index] for index in (*every_index(item.inputs), *every_index(item.outputs))]
    infos += [block.values[index] for block in item.blocks for index in (*block.args, *block.results)]
    return not any(info.is_array or info.opaque for info in infos)


def _read(item: Instruction, choice: int | None) -> Iterable[int]:
    """The values that an instruction, or what a choice leaves of it, reads."""
    if choice is None:
        return every_index(item.inputs)
    if item.op == SELECT:
        return [item.inputs["X"][choice]]
    inputs = item.inputs.get("Input", ())
    return inputs if choice else inputs[: item.carried]


def _missing(item: Instruction, choice: int) -> Sequence[int]:
    """The outputs that no instruction computes with this choice."""
    is_skipped = item.op in CONDITIONAL and not choice
    return item.outputs.get("Out", ())[item.carried :] if is_skipped else ()


class _Inliner:
    """Inlines the blocks of one plan; `same` maps values to the values that they equal."""

    def __init__(self, plan: Plan, choices: Mapping[int, int]) -> None:
        self.plan = plan
        self.same: dict[Origin, Origin] = {}
        self.items: list[tuple[Origin, Instruction]] = []
        for position, item in enumerate(plan.instructions):
            self._add(position, item, choices.get(position))

    def run(self) -> Inlined:
        results = [self._resolve(OUTER, index) for index in self.plan.results]
        self._drop_unread(results)
        numbers = self._numbers(results)
        moved = [self._renumbered(block, item, numbers) for (block, _), item in self.items]
        plan = assemble_plan(
            self.plan.name,
            _with_roots(moved, [self._info(origin) for origin in numbers]),
            tuple(range(len(self.plan.args))),
            tuple(numbers[origin] for origin in results),
            self.plan.result_names,
            moved,
            {
                n: self._plan(block).constants[index]
                for (block, index), n in numbers.items()
                if index in self._plan(block).constants
            },
        )
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
            for out, carried in zip(outs[: item.carried], inputs, strict=False):
                self.same[OUTER, out] = OUTER, carried
            return
        [block] = item.blocks
        for argument, source in zip(block.args, inputs, strict=True):
            self.same[position, argument] = OUTER, source
        for out, result in zip(outs, block.results, strict=True):
            self.same[OUTER, out] = position, result
        self.items += [((position, n), inner) for n, inner in enumerate(block.instructions)]

    def _plan(self, block: int) -> Plan:
        return self.plan if block == OUTER else self.plan.instructions[block].blocks[0]

    def _info(self, origin: Origin) -> ValueInfo:
        block, index = origin
        return self._plan(block).values[index]

    def _resolve(self, block: int, index: int) -> Origin:
        """The value that a value equals in the end."""
        origin = block, index
        while origin in self.same:
            origin = self.same[origin]
        return origin

    def _drop_unread(self, results: Iterable[Origin]) -> None:
        """Drop the instructions that no result, effect or control flow needs."""
        live = set(results)
        kept = []
        for origin, item in reversed(self.items):
            schema, block = get_schema(item.op), origin[0]
            outputs = {(block, index) for index in every_index(item.outputs)}
            if schema.effect or schema.control_flow or not live.isdisjoint(outputs):
                live.update(self._resolve(block, index) for index in every_index(item.inputs))
                kept.append((origin, item))
        self.items = kept[::-1]

    def _numbers(self, results: Iterable[Origin]) -> dict[Origin, int]:
        """The new number of each value: arguments, constants, then outputs in the order of instructions."""
        args = [(OUTER, index) for index in self.plan.args]
        read = set(results)
        written = []
        for (block, _), item in self.items:
            read.update(self._resolve(block, index) for index in every_index(item.inputs))
            written += [(block, index) for index in every_index(item.outputs)]
        constants = sorted(read - set(args) - set(written))
        return {origin: n for n, origin in enumerate([*args, *constants, *written])}

    def _renumbered(self, block: int, item: Instruction, numbers: Mapping[Origin, int]) -> Instruction:
        def read(index: int) -> int:
            return numbers[self._resolve(block, index)]

        return replace(
            item,
            inputs={slot: tuple(map(read, indices)) for slot, indices in item.inputs.items()},
            outputs={
                slot: tuple(numbers[block, index] for index in indices)
                for slot, indices in item.outputs.items()
            },
            inplace=tuple((numbers[block, out], read(source)) for out, source in item.inplace),
        )


def _with_roots(items: Sequence[Instruction], infos: Sequence[ValueInfo]) -> list[ValueInfo]:
    """The values with the roots that follow from the views among the instructions."""
    roots = list(range(len(infos)))
    for item in items:
        for slot, source in (get_schema(item.op).view or {}).items():
            outs, sources = item.outputs.get(slot, ()), item.inputs.get(source, ())
            if len(outs) == len(sources) == 1 and not infos[outs[0]].opaque:
                roots[outs[0]] = roots[sources[0]]
    return [replace(info, root=root) for info, root in zip(infos, roots, strict=True)]
