"""Merges the addition of an image to its gated copy into the gate."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes, is_plain_float, sole_producer, take_output
from lite.passes.registry import register_pass


@register_pass
class GateResidualFusePass(Pass):
    """Adds 1 to a gate, which has one number per channel, instead of the image to the product::

        %p = elementwise_mul(X=%x, Y=%gate)  ->  %open = scale(X=%gate) {scale = 1.0, bias = 1.0}
        %y = elementwise_add(X=%x, Y=%p)         %y = elementwise_mul(X=%x, Y=%open)

    ``x + x · g`` equals ``x · (g + 1)``.
    """

    name: ClassVar[str] = "gate_residual_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("elementwise_mul",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Does not change factors unless they are known to be much smaller than the image."""
        changes = [_fuse(graph, node) for node in graph if node.op == "elementwise_add"]
        return Outcome.of(any(changes))


def _fuse(graph: Graph, add: Node) -> bool:
    for value, image in ((add.input("Y"), add.input("X")), (add.input("X"), add.input("Y"))):
        product = sole_producer(value, ("elementwise_mul",))
        if product is not None and _multiply_more(graph, product, add, image):
            return True
    return False


def _multiply_more(graph: Graph, product: Node, add: Node, image: Value) -> bool:
    slot = "Y" if product.input("X") is image else "X"
    gate, attrs = product.input(slot), attributes(product)
    factors = {product.input("X"), product.input("Y")}
    if factors != {image, gate} or image is gate or attrs["bias"] != 0 or not _is_gate(image, gate):
        return False
    if not is_plain_float(image, gate, product.output("Out"), add.output("Out")) or image.dtype != gate.dtype:
        return False
    opened = graph.add_node(
        "scale",
        {"X": [gate]},
        {"Out": [graph.new_value(graph.unique_name(f"{gate.name}_open"), gate)]},
        {"scale": attrs.real("scale"), "bias": 1.0},
        before=product,
    )
    product.set_input(slot, [opened.output("Out")])
    product.attrs["scale"] = 1.0
    take_output(product, "Out", add, "Out")
    return True


def _is_gate(image: Value, gate: Value) -> bool:
    """Whether both have four axes, and the gate has size 1 on two or more axes where the image has more."""
    if image.shape is None or gate.shape is None or image.lod_level or gate.lod_level:
        return False
    if len(image.shape) != 4 or len(gate.shape) != 4:
        return False
    return sum(mine == 1 != other for mine, other in zip(gate.shape, image.shape, strict=True)) >= 2
