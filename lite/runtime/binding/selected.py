"""are_selected: whether only the op that selects one of two branches reads a branch's results."""

from __future__ import annotations

from collections.abc import Iterable

from lite.plan import Instruction, Plan
from lite.plan.assemble import every_index
from lite.plan.inline import SELECT


def are_selected(plan: Plan, branch: Instruction, outs: Iterable[int]) -> bool:
    """Whether only ``select_input`` reads values of a ``conditional_block``, and only where that is taken.

    That is so where the mask is the condition of the other branch, or its negation, as a number::

        %n = logical_not(X=%c)
        %a = conditional_block(Cond=%c) ...    %b = conditional_block(Cond=%n) ...
        %m = cast(X=%c)
        %y = select_input(X=[%b, %a], Mask=%m)
    """
    producers = {
        index: item for item in plan.instructions for index in every_index(item.outputs) if not item.blocks
    }
    wanted = set(outs)
    if not wanted.isdisjoint(plan.results) or len(branch.inputs.get("Cond", ())) != 1:
        return False
    condition = _origin(plan, producers, branch.inputs["Cond"][0])
    for item in plan.instructions:
        if wanted.isdisjoint(every_index(item.inputs)):
            continue
        if item.op != SELECT or len(item.inputs["X"]) != 2:
            return False
        mask = _origin(plan, producers, item.inputs["Mask"][0])
        chosen = [n for n, index in enumerate(item.inputs["X"]) if index in wanted]
        if any(condition != (mask[0], mask[1] == bool(n)) for n in chosen):
            return False
    return True


def _origin(plan: Plan, producers: dict[int, Instruction], index: int) -> tuple[int, bool]:
    """The condition that a value follows from, and whether it is that condition, not its negation."""
    is_same = True
    while True:
        item = producers.get(index)
        if item is not None and item.op == "logical_not":
            is_same = not is_same
        elif item is None or (item.op not in ("cast", "assign") and plan.values[index].root == index):
            return plan.values[index].root, is_same
        index = item.inputs["X"][0]
