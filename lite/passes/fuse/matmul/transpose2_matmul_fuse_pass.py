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

    A transposition of more axes after which the last one is the last but one leaves it where it was, so that
    whole rows are copied::

        %t = transpose2(X=%y) {axis = [0, 2, 3, 1]}  ->  %t = transpose2(X=%y) {axis = [0, 2, 1, 3]}
        %z = matmul_v2(X=%x, Y=%t)                       %z = matmul_v2(X=%x, Y=%t) {trans_y = true}
    """

    name: ClassVar[str] = "transpose2_matmul_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("transpose2",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Two transpositions cancel; before a constant matrix, one stays for fc."""
        products = [node for node in graph if node.op == "matmul_v2"]
        changes = [_fuse(node, slot) for node in products for slot in _FLAGS]
        changes += [_keep_rows(graph, node) for node in products]
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


def _keep_rows(graph: Graph, product: Node) -> bool:
    value = product.input("Y")
    transpose = sole_producer(value, ("transpose2",))
    if transpose is None or attributes(product)["trans_y"]:
        return False
    axes = list(attributes(transpose).integers("axis"))
    rank = len(axes)
    if rank < 3 or axes[-2] % rank != rank - 1 or value.shape is None:
        return False
    if not is_plain_float(transpose.input("X"), value):
        return False
    rows = graph.new_value(value.name, like=value)
    rows.shape = (*value.shape[:-2], value.shape[-1], value.shape[-2])
    attrs = {"axis": [*axes[:-2], axes[-1], axes[-2]]}
    graph.add_node("transpose2", {"X": [transpose.input("X")]}, {"Out": [rows]}, attrs, before=product)
    product.set_input("Y", [rows])
    product.attrs["trans_y"] = True
    erase_unread([value])
    return True


def _swaps_last_two(transpose: Node) -> bool:
    axes = attributes(transpose).integers("axis")
    if len(axes) < 2:
        return False
    if not is_plain_float(transpose.input("X"), transpose.output("Out")):
        return False
    rank = len(axes)
    wanted = [*range(rank - 2), rank - 1, rank - 2]
    return [axis % rank for axis in axes] == wanted
