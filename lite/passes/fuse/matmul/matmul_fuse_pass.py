"""Replaces products with a constant matrix by mul."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes, become, is_plain_float
from lite.passes.registry import register_pass


@register_pass
class MatmulFusePass(Pass):
    """Replaces a product with a constant matrix by mul, which flattens any tensor to a matrix::

        %y = matmul_v2(X=%x, Y=%w)   (%x: float32[?,5,4])  ->  %y = mul(X=%x, Y=%w) {x_num_col_dims = 2}

    A matrix that the product transposes becomes a new, transposed constant.
    """

    name: ClassVar[str] = "matmul_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("matmul_v2",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Products of vectors, and products whose first operand is transposed, stay."""
        changes = [_rewrite(graph, node) for node in graph if node.op == "matmul_v2"]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


def _rewrite(graph: Graph, node: Node) -> bool:
    x, y, attrs = node.input("X"), node.input("Y"), attributes(node)
    matrix, shape = y.data, x.shape
    if matrix is None or matrix.ndim != 2 or shape is None or len(shape) < 2 or attrs["trans_x"]:
        return False
    if x.dtype != y.dtype or not is_plain_float(x, y, node.output("Out")):
        return False
    if attrs["trans_y"]:
        y = graph.add_constant(y.name, matrix.T)
    become(node, "mul", {"X": [x], "Y": [y]}, {"x_num_col_dims": len(shape) - 1, "y_num_col_dims": 1})
    return True
