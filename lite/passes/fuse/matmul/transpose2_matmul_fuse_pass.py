"""Fuses transpositions into the product of matrices after them."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes, erase_unread, is_plain_float, sole_producer
from lite.passes.registry import register_pass

_FLAGS = {"X": "trans_x", "Y": "trans_y"}


@register_pass
class Transpose2MatmulFusePass(Pass):
    """Replaces a transposition of the last two axes by an attribute of the product, its only reader::

    %t = transpose2(X=%y) {axis = [0, 2, 1]}  ->  %z = matmul_v2(X=%x, Y=%y) {trans_y = true}
    %z = matmul_v2(X=%x, Y=%t)
    """

    name: ClassVar[str] = "transpose2_matmul_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("matmul_v2",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Two transpositions cancel; before a constant matrix, one stays for fc."""
        products = [node for node in graph if node.op == "matmul_v2"]
        changes = [_fuse(node, slot) for node in products for slot in _FLAGS]
        return Outcome.of(any(changes))


def _fuse(product: Node, slot: str) -> bool:
    changed = False
    if slot == "X" and product.input("Y").is_constant:
        return False
    while (transpose := sole_producer(product.input(slot), ("transpose2",))) is not None:
        if not _swaps_last_two(transpose):
            break
        flag, value = _FLAGS[slot], product.input(slot)
        product.attrs[flag] = not attributes(product)[flag]
        product.set_input(slot, [transpose.input("X")])
        erase_unread([value])
        changed = True
    return changed


def _swaps_last_two(transpose: Node) -> bool:
    axes = attributes(transpose).integers("axis")
    if len(axes) < 2:
        return False
    if not is_plain_float(transpose.input("X"), transpose.output("Out")):
        return False
    rank = len(axes)
    wanted = [*range(rank - 2), rank - 1, rank - 2]
    return [axis % rank for axis in axes] == wanted
