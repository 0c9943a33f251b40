"""Merges scales around a product with a constant matrix."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import Array
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.elementwise.affine import Affine, affine, affine_producer
from lite.passes.match import attributes, erase_unread, is_plain_float, take_output
from lite.passes.registry import register_pass

_SLOTS = {"fc": ("Input", "W"), "mul": ("X", "Y"), "matmul_v2": ("X", "Y")}


@register_pass
class FcScaleFusePass(Pass):
    """Merges a scale before or after a product with a constant matrix into the matrix and the bias::

        %a = scale(X=%x) {scale = 3.0}
        %b = fc(Input=%a, W=%w, Bias=%b)          ->  %y = fc(Input=%x, W=%w_1, Bias=%b_1)
        %y = scale(X=%b) {scale = 2.0, bias = 1.0}

    mul and matmul_v2 have no bias, so only a scale without a summand is merged.
    """

    name: ClassVar[str] = "fc_scale_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("fc", "matmul_v2", "mul")
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "fc_fuse_pass", "attention_fuse_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """A matrix with other readers stays, because it would be stored twice."""
        changes = [_fuse(graph, node) for node in graph if node.op in _SLOTS]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


def _fuse(graph: Graph, node: Node) -> bool:
    given, matrix = _SLOTS[node.op]
    constants = [node.input(matrix), *node.inputs.get("Bias", ())]
    if any(constant.data is None or constant.only_user is None for constant in constants):
        return False
    if not is_plain_float(node.input(given), node.output("Out"), *constants):
        return False
    before, after = affine_producer(node.input(given)), _scale_after(node)
    if before is not None and not before.is_product:
        before = None
    if before is None and after is None:
        return False
    factor = (1.0 if before is None else before.factor) * (1.0 if after is None else after.factor)
    _replace(graph, node, matrix, _elements(node.input(matrix)) * np.float64(factor))
    if before is not None:
        scaled = node.input(given)
        node.set_input(given, [before.x])
        erase_unread([scaled])
    if after is not None:
        _take(graph, node, after)
    return True


def _take(graph: Graph, node: Node, after: Affine) -> None:
    """Give the node the output of the scale after it; its matrix is scaled already."""
    if "Bias" in node.inputs:
        bias = _elements(node.input("Bias")) * np.float64(after.factor) + after.shift
        _replace(graph, node, "Bias", bias)
    last = node.output("Out").only_user
    if last is not None:
        take_output(node, "Out", last, "Out")


def _scale_after(node: Node) -> Affine | None:
    """The scale that is the only reader of the product, if the node can apply it."""
    last = node.output("Out").only_user
    found = None if last is None else affine(last)
    if found is None or found.x is not node.output("Out"):
        return None
    attrs = attributes(node)
    if attrs.get("activation"):
        return None
    return found if found.is_product or "Bias" in node.inputs else None


def _replace(graph: Graph, node: Node, slot: str, array: Array) -> None:
    old = node.input(slot)
    node.set_input(slot, [graph.add_constant(old.name, array.astype(_elements(old).dtype))])


def _elements(value: Value) -> Array:
    if value.data is None:
        raise TypeError(f"{value!r} is not a constant")
    return value.data
