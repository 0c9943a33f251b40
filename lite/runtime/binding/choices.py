"""Which branches of a plan are known to be taken before a run."""

from __future__ import annotations

from collections.abc import Mapping

from lite.errors import GraphError
from lite.ir.build import CONDITIONAL
from lite.ops import Meta
from lite.plan.inline import SELECT
from lite.plugin.kernel import KERNEL_ERRORS
from lite.runtime.binding.shapes import infer_instruction, leave_open
from lite.runtime.binding.state import Binding
from lite.runtime.plan_state import PlanState

BRANCHING = (*CONDITIONAL, SELECT)
"""Ops that a known condition decides."""


def known_choices(state: PlanState, metas: Mapping[int, Meta]) -> dict[int, int]:
    """Instruction by instruction what `lite.plan.inline.inlined` takes, from metas of the arguments.

    What follows an op whose shapes only a run can tell is looked at, too, as far as it is known.
    """
    binding = Binding(state, "plain", 0, metas, {}, state.constants)
    found: dict[int, int] = {}
    for position, item in enumerate(state.plan.instructions):
        if position in state.once:
            continue
        if item.op in BRANCHING:
            choice = _choice(binding, position)
            if choice is not None:
                found[position] = choice
        if state.engines[position] is not None:
            leave_open(binding, position)
            continue
        try:
            infer_instruction(binding, position)
        except (GraphError, *KERNEL_ERRORS):
            # Whoever runs it is told, if it comes to that.
            break
    return found


def _choice(binding: Binding, position: int) -> int | None:
    item = binding.instruction(position)
    if item.op != SELECT:
        if not item.attrs.get("is_scalar_condition", False):
            return None
        value = _only(binding, item.inputs.get("Cond", ()))
        return None if value is None else int(value != 0)
    value = _only(binding, item.inputs["Mask"])
    return None if value is None or not 0 <= value < len(item.inputs["X"]) else int(value)


def _only(binding: Binding, indices: tuple[int, ...]) -> float | None:
    """The one element of a number or truth value, where it is known."""
    if len(indices) != 1:
        return None
    value = binding.metas[indices[0]].value
    return None if value is None or value.size != 1 else value.reshape(-1)[0].item()
