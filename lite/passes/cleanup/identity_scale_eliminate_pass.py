"""Removes scales by 1, assigns, and casts to the same type."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes
from lite.passes.registry import register_pass


@register_pass
class IdentityScaleEliminatePass(Pass):
    """Removes scale by 1 with bias 0, assign, and cast to the type that X already has::

        %a = scale(X=%x) {bias = 0.0, scale = 1.0}  ->  %y = relu(X=%x)
        %y = relu(X=%a)

    A result keeps its name.  A node stays if its input and its output have different quantisation.
    """

    name: ClassVar[str] = "identity_scale_eliminate_pass"
    needs: ClassVar[tuple[str, ...]] = ("assign", "cast", "scale")
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Removes every such node."""
        found = [node for node in graph if _is_identity(node)]
        for node in found:
            graph.replace_uses(node.output("Out"), node.input("X"))
            graph.erase(node)
        return Outcome.of(bool(found))


def _is_identity(node: Node) -> bool:
    rule = _RULES.get(node.op)
    if rule is None or set(node.inputs) != {"X"}:
        return False
    return rule(node) and node.input("X").quant == node.output("Out").quant


def _is_scale_by_one(node: Node) -> bool:
    attrs = attributes(node)
    first = attrs["scale"] == 1 and attrs["bias"] == 0
    return first and not attrs["activation"] and attrs["scale1"] == 1 and attrs["bias1"] == 0


def _is_copy(_: Node) -> bool:
    return True


def _is_cast_to_same(node: Node) -> bool:
    dtype = node.input("X").dtype
    return dtype is not None and attributes(node)["out_dtype"] == dtype.code


_RULES: dict[str, Callable[[Node], bool]] = {
    "scale": _is_scale_by_one,
    "assign": _is_copy,
    "cast": _is_cast_to_same,
}
