"""Removes inverse reshapes around a transposition of the last two axes."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.ir.types import UNKNOWN
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fold.reshape_sizes_fold_pass import as_attribute, stated_sizes
from lite.passes.fold.sizes import Sizes
from lite.passes.fuse.shape.reshapes_around import reshapes_around
from lite.passes.match import attributes, become
from lite.passes.registry import register_pass


@register_pass
class ReshapeTransposeReshapeFusePass(Pass):
    """Splits the first of three axes before the other two are swapped, not after that::

        %a = reshape2(X=%x) {shape = [8, 9, 6]}         (%x: float32[2,4,9,6])
        %b = transpose2(X=%a) {axis = [0, 2, 1]}    ->  %y = transpose2(X=%x) {axis = [0, 1, 3, 2]}
        %y = reshape2(X=%b) {shape = [2, 4, 6, 9]}

    A reshape remains if ``%x`` has another shape than ``[2, 4, 9, 6]``.  PyTorch's newer exporter writes this
    for the keys of attention.
    """

    name: ClassVar[str] = "reshape_transpose_reshape_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("transpose2",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """The parts stay if another node reads a value in between, or if the sizes may differ."""
        around = reshapes_around(graph, "transpose2")
        found = {node: views for node, views in around.items() if _swaps_last_of_three(node)}
        if not found:
            return Outcome.UNCHANGED
        sizes = Sizes.of(graph)
        changes = [_fuse(graph, node, *views, sizes) for node, views in found.items()]
        return Outcome.of(any(changes))


def _swaps_last_of_three(transpose: Node) -> bool:
    return [axis % 3 for axis in attributes(transpose).integers("axis")] == [0, 2, 1]


def _fuse(graph: Graph, transpose: Node, first: Node, last: Node, sizes: Sizes) -> bool:
    source, inner = first.input("X"), sizes.shape(transpose.input("X"))
    before, stated = sizes.shape(source), stated_sizes(last, sizes)
    after = sizes.shape(last.output("Out")) if stated is None else tuple(stated)
    if not before or not inner or not after or after[-2:] != (inner[2], inner[1]):
        return False
    split = (*after[:-2], *inner[1:])
    if before != split:
        shape = as_attribute(before, split)
        if shape is None:
            return False
        view = graph.new_value(transpose.input("X").name, like=source)
        view.shape = tuple(dim if isinstance(dim, int) else UNKNOWN for dim in split)
        graph.add_node("reshape2", {"X": [source]}, {"Out": [view]}, {"shape": shape}, before=last)
        source = view
    rank = len(split)
    become(last, "transpose2", {"X": [source]}, {"axis": [*range(rank - 2), rank - 1, rank - 2]})
    return True
