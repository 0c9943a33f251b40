"""Fuses the parts of gelu."""

from __future__ import annotations

import math
from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.activation.gated import products_with
from lite.passes.fuse.activation.powers import power_of
from lite.passes.fuse.elementwise.affine import affine, multiples
from lite.passes.match import attributes, become, is_plain_float, producer
from lite.passes.registry import register_pass

_TOLERANCE = 1e-4
"""The tolerance of the numbers in a model: some have 0.7978 and 0.0447."""

_CUBIC = 0.044715


@register_pass
class GeluFusePass(Pass):
    """Replaces x/2 · (1 + erf(x/√2)), or its approximation by tanh, by gelu::

        %a = scale(X=%x) {scale = 0.70711}          ->  %y = gelu(X=%x) {approximate = false}
        %b = erf(X=%a)
        %c = scale(X=%b) {bias = 1.0}
        %d = elementwise_mul(X=%x, Y=%c)
        %y = scale(X=%d) {scale = 0.5}

    The factors may have any order.  The approximation is
    ``x/2 · (1 + tanh(√(2/π) · (x + 0.044715 · x³)))``.
    """

    name: ClassVar[str] = "gelu_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("erf", "tanh")
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """The parts stay if another node reads a value in between."""
        changes = [_fuse(node) for node in graph if node.op in ("erf", "tanh")]
        return Outcome.of(any(changes))


def _fuse(function: Node) -> bool:
    out = function.output("Out")
    plus_one = out.only_user
    if plus_one is None or not is_plain_float(function.input("X"), out):
        return False
    found = affine(plus_one)
    x = _argument(function)
    if x is None or found is None or found.factor == 0 or not _near(found.shift / found.factor, 1.0):
        return False
    for product in products_with(plus_one.output("Out"), x):
        if _near(product.factor * found.factor, 0.5):
            become(product.node, "gelu", {"X": [x]}, {"approximate": function.op == "tanh"})
            return True
    return False


def _argument(function: Node) -> Value | None:
    """x, if the argument of the function is the one in gelu's definition."""
    wanted = math.sqrt(0.5) if function.op == "erf" else math.sqrt(2 / math.pi)
    found = multiples(function.input("X"))
    inner = next((value for value, factor in found if _near(factor, wanted)), None)
    return inner if inner is None or function.op == "erf" else _cubic(inner)


def _cubic(value: Value) -> Value | None:
    """x, if `value` is ``x + 0.044715 · x³`` or ``x · (1 + 0.044715 · x²)``."""
    node = producer(value, ("elementwise_add", "elementwise_mul"))
    if node is None or not is_plain_float(*node.all_inputs()):
        return None
    attrs = attributes(node)
    if node.op == "elementwise_mul" and (attrs["scale"] != 1 or attrs["bias"] != 0):
        return None
    first, second = node.input("X"), node.input("Y")
    for x, other in ((first, second), (second, first)):
        matches = _is_cube(other, x) if node.op == "elementwise_add" else _is_one_plus_square(other, x)
        if matches:
            return x
    return None


def _is_cube(value: Value, x: Value) -> bool:
    return any(power_of(power, x) == 3 and _near(factor, _CUBIC) for power, factor in multiples(value))


def _is_one_plus_square(value: Value, x: Value) -> bool:
    found = None if value.producer is None else affine(value.producer)
    if found is None or not _near(found.shift, 1.0):
        return False
    return any(
        power_of(power, x) == 2 and _near(factor * found.factor, _CUBIC)
        for power, factor in multiples(found.x)
    )


def _near(number: float, wanted: float) -> bool:
    return math.isclose(number, wanted, rel_tol=_TOLERANCE)
