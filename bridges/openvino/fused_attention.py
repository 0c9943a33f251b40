"""Parts of attention in forms that OpenVINO 2026.4's CPU plugin does not fuse to a wrong result.

If there are as many heads as positions, queries or values [batch, positions, heads, size] have the shape of
the result, and the plugin writes it over those that it still has to read.  If the mask has more columns than
the scores, which then have one, it does not broadcast the scores.
"""

from __future__ import annotations

import numpy as np

from lite.bridges.openvino.builder import Builder, Tensor
from lite.ir.graph import Node
from lite.plugin.device import BridgeOp

_BETWEEN = ("scale", "elementwise_add", "elementwise_sub", "elementwise_mul", "elementwise_div", "where")
_FARTHEST = 6
_HEADS_FIRST = [0, 2, 1, 3]


def transposed(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """The Transpose of a transpose2; a Gather if OpenVINO would take it into fused attention."""
    dims, axes = op["X"].dims, [op["X"].axis(axis) for axis in op.integers("axis")]
    if axes != _HEADS_FIRST or dims[1] != dims[2] or not isinstance(dims[1], int):
        return b.transpose(x, axes)
    count, size = dims[1], dims[3] if isinstance(dims[3], int) else -1
    order = np.arange(count**2).reshape(count, count).T
    rows = b.reshape(x, [0, count**2, size])
    swapped = b.op.gather(rows, b.ints(order.ravel().tolist()), b.integer(1))
    return b.reshape(swapped, [0, count, count, size])


def widened(b: Builder, op: BridgeOp, slot: str, tensor: Tensor) -> Tensor:
    """An input of an elementwise op; one column becomes as many as the result has if a softmax follows."""
    dims, result = op[slot].dims, op.output().dims
    if len(dims) != len(result) or dims[-1:] != (1,) or not _leads_to_softmax(op.node, _FARTHEST):
        return tensor
    columns = result[-1]
    if not isinstance(columns, int) or columns == 1:
        return tensor
    return b.op.tile(tensor, b.ints([*[1] * (len(dims) - 1), columns]))


def _users(node: Node) -> list[Node]:
    return [user for value in node.all_outputs() for user in value.users]


def _leads_to_softmax(node: Node, steps: int) -> bool:
    users = _users(node)
    if any(user.op == "softmax" for user in users):
        return True
    return steps > 0 and any(_leads_to_softmax(user, steps - 1) for user in users if user.op in _BETWEEN)
