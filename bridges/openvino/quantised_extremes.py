"""Maxima and minima along axes that are quantised, of which OpenVINO 2026.4 loses whole steps.

It lets the reduction write the bytes, so that it rounds each result before the ops between the two.
"""

from __future__ import annotations

from lite.ir.graph import Node
from lite.ops import Trait, has_trait
from lite.plugin.device import BridgeOp

_FARTHEST = 6
"""Ops after the reduction that are looked at."""


def why_not_extreme(op: BridgeOp) -> str | None:
    """Why OpenVINO may quantise a maximum or minimum too early; None where nothing quantises it."""
    if not _is_quantised(op.node, _FARTHEST):
        return None
    return "OpenVINO rounds maxima and minima before it quantises them"


def _is_quantised(node: Node, steps: int) -> bool:
    for value in node.all_outputs():
        if value.quant is not None:
            return True
        for user in value.users:
            if user.op == "affine_quantize":
                return True
            is_joined = has_trait(user.op, Trait.ELEMENTWISE) or has_trait(user.op, Trait.MOVEMENT)
            if is_joined and steps and _is_quantised(user, steps - 1):
                return True
    return False
