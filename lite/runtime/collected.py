"""Collected: the body of a loop without the tensor arrays to which each iteration adds one element.

An array that an iteration only extends need not be passed from one to the next: the body returns the new
element, and the runtime collects it::

    while (%i, %h, %list):                                while (%i, %h):
      %h#1 = tanh(X=%h)                                     %h#1 = tanh(X=%h)
      %list#1 = write_to_array(X=%h#1, I=%i, Array=%list)   return i=%i#1, h=%h#1, %h#1, %i
      return i=%i#1, h=%h#1, list=%list#1

Such a body has values of fixed sizes, so that it may become launches.
"""

from __future__ import annotations

from collections.abc import Sequence

from lite.dataclass import dataclass
from lite.plan import Instruction, Plan
from lite.plan.assemble import assemble_plan, every_index
from lite.runtime.derived_state import DerivedState
from lite.runtime.plan_state import PlanState


@dataclass(frozen=True)
class Growth:
    """An array that the loop carries as number `array`.

    `item` and `index` are the results of the body that have the new element, and the place for which it is
    meant: None for the end, or the beginning with `is_first`.  `condition` is the result that says whether
    there is a new element; None where there always is.
    """

    array: int
    item: int
    index: int | None
    is_first: bool
    condition: int | None


@dataclass(frozen=True, eq=False)
class CollectedBody:
    """The body without arrays: it carries the arguments `kept` of the loop, the first `carried` of them."""

    state: PlanState
    kept: Sequence[int]
    carried: int
    growing: Sequence[Growth]


def collected_body(state: PlanState, carried: int) -> CollectedBody | None:
    """The body of a loop without arrays; None where it has none, or uses one in any other way."""
    plan = state.plan
    arrays = [n for n, index in enumerate(plan.args) if plan.values[index].is_array]
    writers = [_writer(plan, n, carried) for n in arrays]
    if not arrays or None in writers or any(state.schemas[n].effect for n in range(len(state.schemas))):
        return None
    removed = [position for position in writers if position is not None]
    kept = [n for n in range(len(plan.args)) if n not in arrays]
    positions = [n for n in range(len(plan.instructions)) if n not in removed]
    results = [plan.results[n] for n in kept if n < carried]
    count, growing = len(results), []
    for n, position in zip(arrays, removed, strict=True):
        growing.append(_placed(plan.instructions[position], n, results))
    body = assemble_plan(
        plan.name,
        plan.values,
        tuple(plan.args[n] for n in kept),
        tuple(results),
        tuple(map(str, range(len(results)))),
        [plan.instructions[n] for n in positions],
        plan.constants,
    )
    values = [(state, index) for index in range(len(plan.values))]
    derived = DerivedState(body, values, [(state, n) for n in positions])
    return CollectedBody(derived, kept, count, growing)


def _writer(plan: Plan, number: int, carried: int) -> int | None:
    """The instruction that adds an element to an array argument; None where it is used otherwise, too."""
    argument = plan.args[number]
    if number >= carried or len(plan.results) < carried:
        return None
    result = plan.results[number]
    readers = [n for n, item in enumerate(plan.instructions) if argument in every_index(item.inputs)]
    if len(readers) != 1 or argument in plan.results or plan.results.count(result) != 1:
        return None
    item = plan.instructions[readers[0]]
    if [*every_index(item.outputs)] != [result]:
        return None
    if any(result in every_index(other.inputs) for other in plan.instructions):
        return None
    return readers[0] if _is_growth(plan, item, argument) else None


def _is_growth(plan: Plan, item: Instruction, argument: int) -> bool:
    if item.op == "write_to_array":
        return item.inputs.get("Array", ()) == (argument,)
    if item.op != "insert_to_array" or item.inputs["X"] != (argument,):
        return False
    position = item.inputs.get("Position", ())
    constant = plan.constants.get(position[0]) if position else None
    return not position or (constant is not None and not constant.any())


def _placed(item: Instruction, array: int, results: list[int]) -> Growth:
    """The growth by an instruction, with its element, index and condition appended to the results."""

    def place(slot: str) -> int | None:
        values = item.inputs.get(slot, ())
        results.extend(values)
        return len(results) - 1 if values else None

    is_write = item.op == "write_to_array"
    results.extend(item.inputs["X" if is_write else "Item"])
    place_of_item = len(results) - 1
    is_first = bool(item.inputs.get("Position", ()))
    return Growth(array, place_of_item, place("I"), is_first, place("Condition"))
