"""Fuses a scale into the product of two tensors before it."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.elementwise.affine import affine, fits
from lite.passes.match import attributes, is_plain_float, sole_producer, take_output
from lite.passes.registry import register_pass


@register_pass
class ElementwiseScaleFusePass(Pass):
    """Replaces a scale by attributes of the elementwise_mul before it::

    %p = elementwise_mul(X=%a, Y=%b)     ->  %y = elementwise_mul(X=%a, Y=%b) {scale = 2.0, bias = 1.0}
    %y = scale(X=%p) {scale = 2.0, bias = 1.0}
    """

    name: ClassVar[str] = "elementwise_scale_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("scale",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "scalar_elementwise_to_scale_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """A second scale is merged into the first."""
        changes = [_fuse(node) for node in graph if node.op == "scale"]
        return Outcome.of(any(changes))


def _fuse(scale: Node) -> bool:
    product = sole_producer(scale.input("X"), ("elementwise_mul",))
    found = affine(scale)
    if product is None or found is None or not is_plain_float(product.input("X"), product.input("Y")):
        return False
    attrs = attributes(product)
    factor = attrs.real("scale") * found.factor
    shift = attrs.real("bias") * found.factor + found.shift
    if not fits(found.x, factor, shift):
        return False
    product.attrs.update({"scale": factor, "bias": shift})
    take_output(product, "Out", scale, "Out")
    return True
