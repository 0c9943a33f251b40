"""Fuses the parts of hard_swish."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from lite.dataclass import dataclass
from lite.ir.graph import Graph, Node, Value
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.activation.gated import products_with
from lite.passes.fuse.activation.hard_sigmoid_fuse_pass import ceiling
from lite.passes.fuse.elementwise.affine import affine_producer, fits
from lite.passes.match import attributes, become, is_plain_float
from lite.passes.registry import register_pass


@dataclass(frozen=True)
class _Gate:
    """``clip(x + offset, 0, threshold) · factor``, which is `value`."""

    value: Value
    x: Value
    offset: float
    threshold: float
    factor: float


@register_pass
class HardSwishFusePass(Pass):
    """Replaces x times its hard_sigmoid, or times ``clip(x + offset, 0, threshold)``, by hard_swish::

    %a = scale(X=%x) {bias = 3.0}                  ->  %y = hard_swish(X=%x)
    %b = relu6(X=%a) {threshold = 6.0}                     {offset = 3.0, threshold = 6.0, scale = 6.0}
    %c = elementwise_mul(X=%x, Y=%b)
    %y = scale(X=%c) {scale = 0.16667}
    """

    name: ClassVar[str] = "hard_swish_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("clip", "hard_sigmoid", "relu6")
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """The parts stay if another node reads a value in between."""
        changes = [_fuse(node) for node in graph]
        return Outcome.of(any(changes))


def _fuse(node: Node) -> bool:
    for gate in _gates(node):
        products = list(products_with(gate.value, gate.x))
        factor = products[-1].factor * gate.factor if products else 0.0
        if not products or factor == 0 or not fits(gate.x, 1 / factor):
            continue
        attrs = {"threshold": gate.threshold, "scale": 1 / factor, "offset": gate.offset}
        become(products[-1].node, "hard_swish", {"X": [gate.x]}, attrs)
        return True
    return False


def _gates(node: Node) -> Iterator[_Gate]:
    if node.op == "hard_sigmoid" and is_plain_float(node.input("X"), node.output("Out")):
        attrs = attributes(node)
        slope, offset = attrs.real("slope"), attrs.real("offset")
        if slope > 0:
            yield _Gate(node.output("Out"), node.input("X"), offset / slope, 1 / slope, slope)
        return
    top = ceiling(node)
    before = affine_producer(node.input("X")) if top is not None else None
    if top is not None and before is not None and before.factor > 0:
        factor = before.factor
        yield _Gate(node.output("Out"), before.x, before.shift / factor, top / factor, factor)
