"""The branches of a plan that are known before a run."""

from __future__ import annotations

from collections.abc import Mapping

from lite.errors import GraphError
from lite.ir.build import CONDITIONAL
from lite.ops import Meta
from lite.plan.inline import SELECT
from lite.plugin.kernel import KERNEL_ERRORS
from lite.runtime.binding.shapes import infer_instruction, leave_unknown
from lite.runtime.binding.state import Binding
from lite.runtime.plan_state import PlanState

BRANCHING = (*CONDITIONAL, SELECT)
"""Ops whose work depends on a condition."""


def known_choices(state: PlanState, metas: Mapping[int, Meta]) -> dict[int, int]:
    """By instruction: the choice of each branch that follows from the metas of the arguments.

    The choices are those that `lite.plan.inline.inlined` takes.  Instructions after one whose shapes depend
    on data are covered as far as their inputs are known.
    """
    binding = Binding(state, "plain", 0, metas, {}, state.constants)
    choices: dict[int, int] = {}
    for position, item in enumerate(state.plan.instructions):
        if position in state.once:
            continue
        if item.op in BRANCHING:
            choice = _choice(binding, position)
            if choice is not None:
                choices[position] = choice
        if state.engines[position] is not None:
            leave_unknown(binding, position)
            continue
        try:
            infer_instruction(binding, position)
        except (GraphError, *KERNEL_ERRORS):
            # A run that gets to this instruction raises the error.
            break
    return choices


def _choice(binding: Binding, position: int) -> int | None:
    item = binding.instruction(position)
    if item.op != SELECT:
        if not item.attrs.get("is_scalar_condition", False):
            return None
        value = _scalar(binding, item.inputs.get("Cond", ()))
        return None if value is None else int(value != 0)
    value = _scalar(binding, item.inputs["Mask"])
    return None if value is None or not 0 <= value < len(item.inputs["X"]) else int(value)


def _scalar(binding: Binding, indices: tuple[int, ...]) -> float | None:
    """The element of a single value with one element; None where it is unknown."""
    if len(indices) != 1:
        return None
    value = binding.metas[indices[0]].value
    return None if value is None or value.size != 1 else value.reshape(-1)[0].item()
