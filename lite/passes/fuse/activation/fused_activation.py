"""Activations that become the last step of the op before them."""

from __future__ import annotations

from collections.abc import Mapping

from lite.ir.graph import Node
from lite.ir.program import AttrValue
from lite.ops import Trait, get_schema, has_trait
from lite.passes.base import PassContext
from lite.passes.match import is_plain_float
from lite.plugin.kernel.fusible import fusible_activations


def is_activation(node: Node) -> bool:
    """Whether the node is an activation of plain floats."""
    return has_trait(node.op, Trait.ACTIVATION) and is_plain_float(node.input("X"), node.output("Out"))


def can_apply(op: str, activation: Node, ctx: PassContext) -> bool:
    """Whether all kernels of `op` on the valid places know this activation as their last step."""
    return activation.op in fusible_activations(op, {place.target for place in ctx.valid_places})


def fused_attrs(activation: Node) -> Mapping[str, AttrValue]:
    """The attributes of an op whose last step is this activation."""
    return {
        "activation": activation.op,
        "activation_params": get_schema(activation.op).numbers(activation.attrs),
    }
