"""A transpose2 that OpenVINO 2026.4 loses where it fuses attention.

If the queries have as many heads as positions, [batch, positions, heads, size] and its transpose have one
shape, and the CPU plugin computes the product of queries and keys without the transposition.
"""

from __future__ import annotations

from lite.ir.graph import Node
from lite.plugin.device import BridgeOp

_PRODUCTS = ("matmul", "matmul_v2", "bmm")
_BETWEEN = ("scale", "elementwise_add", "elementwise_sub", "elementwise_mul", "elementwise_div", "where")
_FARTHEST = 6


def why_not_transpose(op: BridgeOp) -> str | None:
    """Why OpenVINO may lose this transpose; None where it does not."""
    x = op["X"]
    axes = [axis % max(x.rank, 1) for axis in op.integers("axis")]
    if axes != [0, 2, 1, 3] or x.dims[1] != x.dims[2]:
        return None
    products = [user for user in _users(op.node) if user.op in _PRODUCTS]
    if any(_leads_to_softmax(product, _FARTHEST) for product in products):
        return f"OpenVINO fuses attention, and loses a Transpose of equal sizes, X {x}"
    return None


def _users(node: Node) -> list[Node]:
    return [user for value in node.all_outputs() for user in value.users]


def _leads_to_softmax(node: Node, steps: int) -> bool:
    users = _users(node)
    if any(user.op == "softmax" for user in users):
        return True
    return steps > 0 and any(_leads_to_softmax(user, steps - 1) for user in users if user.op in _BETWEEN)
