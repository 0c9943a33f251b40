"""Products with a constant matrix."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes, become, is_plain_float
from lite.passes.registry import register_pass


@register_pass
class MatmulFusePass(Pass):
    """A product with a constant matrix becomes mul, which sees any tensor as a matrix::

        %y = matmul_v2(X=%x, Y=%w)   (%x: float32[?,5,4])  ->  %y = mul(X=%x, Y=%w) {x_num_col_dims = 2}

    A matrix that is to be transposed is, in a new constant.
    """

    name: ClassVar[str] = "matmul_fuse_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Leaves vectors alone, and products whose first operand is transposed."""
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
        y = graph.add_constant(y.name, np.ascontiguousarray(matrix.T))
    become(node, "mul", {"X": [x], "Y": [y]}, {"x_num_col_dims": len(shape) - 1, "y_num_col_dims": 1})
    return True
