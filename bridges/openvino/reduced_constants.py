"""Reductions of three axes that OpenVINO 2026.4 joins with a constant, of which it takes the wrong elements.

It does so where the first or last axis is reduced, and the constant has elements for the second one.  With an
axis more that is reduced, too, it takes the right ones; it removes one that stays, or that comes first.  That
form in turn ends the process in networks with attention, so it is used where there is such a constant alone.
"""

from __future__ import annotations

from lite.ir.graph import Node, Value
from lite.ops import Trait, has_trait

_FARTHEST = 6
"""Ops after the reduction that are looked at."""

_WITH_WEIGHTS = ("affine_channel", "affine_quantize", "batch_norm", "instance_norm")
"""Other ops whose constants belong to axes."""


def meets_constant(node: Node, steps: int = _FARTHEST) -> bool:
    """Whether ops on the results, element by element, read a constant of several elements."""
    joined = [user for value in node.all_outputs() for user in value.users if _is_joined(user, value)]
    if any(user.op in _WITH_WEIGHTS or any(map(_has_elements, user.all_inputs())) for user in joined):
        return True
    return steps > 0 and any(meets_constant(user, steps - 1) for user in joined)


def _is_joined(node: Node, operand: Value) -> bool:
    """Whether a node computes a tensor of the size of its operand; another one is not part of a reduction."""
    if has_trait(node.op, Trait.RESHAPE):
        return True
    out = next(iter(node.all_outputs()))
    is_elementwise = has_trait(node.op, Trait.ELEMENTWISE) or node.op in _WITH_WEIGHTS
    return is_elementwise and (out.shape is None or operand.shape is None or out.shape == operand.shape)


def _has_elements(value: Value) -> bool:
    """Whether a value is a constant of several elements, or may be one for each of an axis."""
    if value.quant is not None and value.quant.per_axis:
        return True
    return value.data is not None and value.data.size > 1
