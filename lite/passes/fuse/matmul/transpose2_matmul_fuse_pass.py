"""Fuses transpositions into the product of matrices after them."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.elementwise.affine import factor_producer, scaled_by
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

    A factor between the two, as PyTorch's attention has, comes after the transposition that is left::

        %t = transpose2(X=%y) {axis = [0, 2, 1]}     ->  %s = scale(X=%y) {scale = 0.5}
        %s = scale(X=%t) {scale = 0.5}                   %z = matmul_v2(X=%x, Y=%s) {trans_y = true}
        %z = matmul_v2(X=%x, Y=%s)
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
    while (transpose := _transposition(product.input(slot))) is not None:
        if not _swaps_last_two(transpose):
            break
        flag = _FLAGS[slot]
        product.attrs[flag] = not attributes(product)[flag]
        _replace(product, slot, transpose.input("X"))
        changed = True
    return changed


def _transposition(value: Value) -> Node | None:
    """The transposition that makes an operand, perhaps by a factor of it; None if others read it, too."""
    factor = factor_producer(value)
    return sole_producer(value if factor is None else factor.input("X"), ("transpose2",))


def _replace(product: Node, slot: str, source: Value) -> None:
    """Let a product read `source` instead of its transposition, by the same factor."""
    old = product.input(slot)
    factor = factor_producer(old)
    product.set_input(slot, [source if factor is None else scaled_by(factor, source, before=product)])
    erase_unread([old])


def _keep_rows(graph: Graph, product: Node) -> bool:
    transpose = _transposition(product.input("Y"))
    if transpose is None or attributes(product)["trans_y"]:
        return False
    value = transpose.output("Out")
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
    product.attrs["trans_y"] = True
    _replace(product, "Y", rows)
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
