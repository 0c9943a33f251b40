"""An image added to what a gate lets through of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes, is_plain_float, sole_producer, take_output
from lite.passes.registry import register_pass


@register_pass
@dataclass(frozen=True)
class GateResidualFusePass(Pass):
    """1 is added to the gate, which has one number a channel, instead of the image to the product::

        %p = elementwise_mul(X=%x, Y=%gate)  ->  %open = scale(X=%gate) {scale = 1.0, bias = 1.0}
        %y = elementwise_add(X=%x, Y=%p)         %y = elementwise_mul(X=%x, Y=%open)

    As ``x + x · g`` is ``x · (g + 1)``.
    """

    name: ClassVar[str] = "gate_residual_fuse_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Leaves factors alone that are not known to have a single pixel."""
        return Outcome.of(any([_fuse(graph, node) for node in graph if node.op == "elementwise_add"]))


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
        {"scale": float(str(attrs["scale"])), "bias": 1.0},
        before=product,
    )
    product.set_input(slot, [opened.output("Out")])
    product.attrs["scale"] = 1.0
    take_output(product, "Out", add, "Out")
    return True


def _is_gate(image: Value, gate: Value) -> bool:
    """Whether the gate has one pixel a channel, and the image's four axes, for each element of which it counts."""
    if image.shape is None or gate.shape is None or len(image.shape) != 4 or image.lod_level or gate.lod_level:
        return False
    return len(gate.shape) == 4 and gate.shape[2:] == (1, 1) and gate.shape[1] == image.shape[1]
