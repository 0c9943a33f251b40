"""Asks a compiled model for its evidence."""

from __future__ import annotations

from lite.plugin.boundary import at_boundary
from lite.plugin.device import CompiledModel


def evidence_problem(model: CompiledModel, device: str) -> str:
    """A sentence if the evidence of a model of `device` shows work that is done elsewhere; "" for none.

    Raises `CompileError` where the device's own code fails.
    """
    evidence = at_boundary(device, "asking for evidence", model.evidence)
    return "" if evidence is None else evidence.problem()
