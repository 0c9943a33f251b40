"""Activations that become the last step of the op before them."""

from __future__ import annotations

import math
from collections.abc import Mapping

from lite.ir.graph import Node
from lite.ir.program import AttrValue
from lite.ops import Trait, get_schema, has_trait
from lite.passes.base import PassContext
from lite.passes.match import attributes, is_plain_float
from lite.plugin.kernel.fusible import fusible_activations


def is_activation(node: Node) -> bool:
    """Whether the node is an activation of plain floats."""
    return bool(_named(node)[0]) and is_plain_float(node.input("X"), node.output("Out"))


def can_apply(op: str, activation: Node, ctx: PassContext) -> bool:
    """Whether all kernels of `op` on the valid places know this activation as their last step."""
    return _named(activation)[0] in fusible_activations(op, {place.target for place in ctx.valid_places})


def fused_attrs(activation: Node) -> Mapping[str, AttrValue]:
    """The attributes of an op whose last step is this activation."""
    name, numbers = _named(activation)
    return {"activation": name, "activation_params": numbers}


def _named(node: Node) -> tuple[str, list[float]]:
    """The activation that a node is, and its numbers; an empty name if it is none.

    A clip from 0 on is a relu6, or a relu if it has no other limit.
    """
    if has_trait(node.op, Trait.ACTIVATION):
        return node.op, get_schema(node.op).numbers(node.attrs)
    if node.op != "clip" or {*node.inputs} != {"X"}:
        return "", []
    attrs = attributes(node)
    if attrs.real("min") != 0:
        return "", []
    limit = attrs.real("max")
    if limit == math.inf:
        return "relu", []
    return ("relu6", [limit]) if limit > 0 else ("", [])
