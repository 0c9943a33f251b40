"""Replaces powers with certain constant exponents by other ops."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import become, is_plain_float, scalar
from lite.passes.registry import register_pass

_OPS = {-1.0: "reciprocal", 0.5: "sqrt", 2.0: "square"}
"""The op that computes the same as numpy's power, by exponent."""


@register_pass
class ElementwisePowToSquarePass(Pass):
    """Replaces a power with an exponent of one element by square, sqrt, reciprocal or products::

    %c = const float32[] [2.0]
    %y = elementwise_pow(X=%x, Y=%c)  ->  %y = square(X=%x)

    %c = const float32[] [3.0]            %s = square(X=%x)
    %y = elementwise_pow(X=%x, Y=%c)  ->  %y = elementwise_mul(X=%s, Y=%x)
    """

    name: ClassVar[str] = "elementwise_pow_to_square_pass"
    needs: ClassVar[tuple[str, ...]] = ("elementwise_pow",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "gelu_fuse_pass", "layer_norm_fuse_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """A power stays if its exponent changes the shape or the dtype of the base."""
        changes = [_rewrite(graph, node) for node in graph if node.op == "elementwise_pow"]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


def _rewrite(graph: Graph, node: Node) -> bool:
    x, y, out = node.input("X"), node.input("Y"), node.output("Out")
    exponent = scalar(y)
    op = None if exponent is None else "elementwise_mul" if exponent == 3.0 else _OPS.get(exponent)
    fits = x.shape is not None and y.data is not None and y.data.ndim <= len(x.shape)
    if op is None or not fits or not is_plain_float(x, out) or x.dtype is not out.dtype:
        return False
    if exponent == 3.0:
        square = graph.new_value(out.name, like=out)
        graph.add_node("square", {"X": [x]}, {"Out": [square]}, {}, before=node)
        become(node, op, {"X": [square], "Y": [x]}, {"axis": -1})
    else:
        become(node, op, {"X": [x]}, {})
    return True
