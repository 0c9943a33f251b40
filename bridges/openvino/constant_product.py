"""Products by constants, which OpenVINO 2026.4 computes wrongly where it fuses several in a row.

The CPU plugin makes one kernel of products of matrices by small constants, and of the elementwise ops between
them, if all sizes are known.  Where integer sums are quantised again with limits for each column, as after an
input whose zero point is not 0, the kernel reads their bits as real numbers.  It fuses no products of tensors
of three axes; one whose result is squeezed and quantised ends the process, unless an op between takes reals.

The same kernel reads a constant in one order only, where products take it both transposed and not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.column_scales import real_operand
from lite.bridges.openvino.real_values import real
from lite.plugin.device import BridgeOp

_MOST = 256
"""The most rows or columns of a constant that the plugin fuses."""


def multiplied(
    b: Builder, op: BridgeOp, x: Tensor, y: Tensor, transposed: tuple[bool, bool] = (False, False)
) -> Tensor:
    """The product `op` of `x` and `y`, each with its last two axes `transposed` or not."""
    y = _in_one_order(b, real_operand(b, op.node, x, y), is_transposed=transposed[1])
    if not _may_be_fused(b.port(x), b.port(y)):
        return b.op.matmul(x, y, *transposed)
    first = b.ints([0])
    return b.op.squeeze(real(b, b.op.matmul(b.op.unsqueeze(x, first), y, *transposed)), first)


def _in_one_order(b: Builder, y: Tensor, *, is_transposed: bool) -> Tensor:
    """A copy of a small constant that another product takes in the other order, at an address of its own."""
    port = b.port(y)
    constant = port.get_node()
    if constant.get_type_name() != "Constant" or max(port.get_shape(), default=0) > _MOST:
        return y
    readers = [each.get_node() for each in port.get_target_inputs()]
    orders = {each.get_attributes()["transpose_b"] for each in readers if each.get_type_name() == "MatMul"}
    if orders <= {is_transposed}:
        return y
    return b.op.constant(np.array(constant.data)).output(0)


def _may_be_fused(x: Any, y: Any) -> bool:
    """Whether `y` follows from a constant of bytes, and the plugin may fuse the product."""
    if x.get_partial_shape().is_dynamic or y.get_partial_shape().is_dynamic or not _follows_from_bytes(y):
        return False
    if len(y.get_shape()) != 2 or max(y.get_shape()) > _MOST:
        return False
    # A Reshape before a product of more axes may be removed.
    return len(x.get_shape()) == 2 or x.get_node().get_type_name() == "Reshape"


def _follows_from_bytes(port: Any) -> bool:
    node = port.get_node()
    while node.get_input_size():
        node = node.input_value(0).get_node()
    return bool(node.get_type_name() == "Constant" and node.get_element_type().to_dtype().itemsize == 1)
