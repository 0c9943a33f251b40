"""Fuses sigmoid(x) · x."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.activation.gated import products_with
from lite.passes.fuse.elementwise.affine import multiples
from lite.passes.match import become, is_plain_float
from lite.passes.registry import register_pass


@register_pass
class SigmoidElementmulFusePass(Pass):
    """Replaces a value times its sigmoid, or times the sigmoid of a multiple of it, by swish::

    %s = scale(X=%x) {scale = 1.5}          ->  %y = swish(X=%x) {beta = 1.5}
    %g = sigmoid(X=%s)
    %y = elementwise_mul(X=%x, Y=%g)
    """

    name: ClassVar[str] = "sigmoid_elementmul_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("sigmoid",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """A sigmoid with other readers stays."""
        changes = [_fuse(node) for node in graph if node.op == "sigmoid"]
        return Outcome.of(any(changes))


def _fuse(sigmoid: Node) -> bool:
    inner = sigmoid.input("X")
    if not is_plain_float(inner, sigmoid.output("Out")):
        return False
    for x, factor in multiples(inner):
        product = next(products_with(sigmoid.output("Out"), x), None)
        if product is not None and product.factor == 1:
            become(product.node, "swish", {"X": [x]}, {"beta": factor})
            return True
    return False
