"""Removes reshapes around softmax that are inverse."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.ir.types import Shape
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fold.reshape_sizes_fold_pass import stated_sizes
from lite.passes.fold.sizes import Sizes
from lite.passes.fuse.shape.reshapes_around import reshapes_around
from lite.passes.match import attributes, become
from lite.passes.registry import register_pass


@register_pass
class ReshapeSoftmaxReshapeFusePass(Pass):
    """Removes a reshape that joins the leading axes for a softmax of the last one, and its inverse::

        %a = flatten2(X=%x) {axis = 2}             (%x: float32[?,40,96])
        %b = softmax(X=%a) {axis = -1}         ->  %y = softmax(X=%x) {axis = -1}
        %s = shape(Input=%x)
        %y = reshape2(X=%b, Shape=%s)

    Converters to newer versions of ONNX's operators write this.
    """

    name: ClassVar[str] = "reshape_softmax_reshape_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("softmax",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """The parts stay if another node reads a value in between, or if the sizes may differ."""
        found = reshapes_around(graph, "softmax")
        if not found:
            return Outcome.UNCHANGED
        sizes = Sizes.of(graph)
        changes = [_fuse(node, *views, sizes) for node, views in found.items()]
        return Outcome.of(any(changes))


def _fuse(softmax: Node, first: Node, last: Node, sizes: Sizes) -> bool:
    if set(first.inputs) != {"X"}:
        return False
    source, inner = first.input("X"), sizes.shape(softmax.input("X"))
    before, after = sizes.shape(source), _result(last, sizes)
    if not before or not inner or before != after or before[-1] != inner[-1]:
        return False
    if attributes(softmax).integer("axis") not in (-1, len(inner) - 1):
        return False
    become(last, "softmax", {"X": [source]}, {"axis": -1})
    return True


def _result(reshape: Node, sizes: Sizes) -> Shape | None:
    """The shape that a reshape states by size tensors, or that follows from its attributes."""
    stated = stated_sizes(reshape, sizes)
    return sizes.shape(reshape.output("Out")) if stated is None else tuple(stated)
