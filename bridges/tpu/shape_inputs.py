"""Integers that an op takes as an attribute, a tensor or a list of tensors; all are known at conversion."""

from __future__ import annotations

from lite.ops.shape_input import elements
from lite.plugin.device import BridgeOp


def known_integers(op: BridgeOp, attr: str, *slots: str) -> list[int] | None:
    """The integers in the first of `slots` that the op has, else in the attribute; None if one is unknown."""
    numbers = elements(op, attr, *slots)
    if numbers is None:
        return None
    known = [number for number in numbers if number is not None]
    return known if len(known) == len(numbers) else None


def why_not_unknown_integers(op: BridgeOp, attr: str, *slots: str) -> str | None:
    """Why an op whose integers only the run computes is declined; None when they are known."""
    if known_integers(op, attr, *slots) is None:
        return f"{attr} is a tensor ({', '.join(slots)}) whose numbers are not known"
    return None
