"""Products by a computed tensor of signed bytes, whose columns OpenVINO 2026.4 scales wrongly.

If numbers for each column follow, they join the scales of the product.  With them, the CPU plugin limits sums
of matrices to 16 bits, also on processors with VNNI, and reads beyond the scales for tensors of more axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.bridges.openvino.builder import Builder, Tensor
from lite.ir.graph import Node
from lite.ops import Trait, has_trait

_FARTHEST = 6
"""Elementwise ops after the product that are looked at."""


def real_operand(b: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
    """`y`, kept from being multiplied as bytes where `node` is such a product of `x` and `y`."""
    second = _source(b, y)
    if second.get_type_name() == "Constant" or not _is_signed(second) or not _is_bytes(_source(b, x)):
        return y
    if not _has_columns(second) and not _meets_columns(node, _FARTHEST):
        return y
    # OpenVINO moves no scales past Maximum.
    lowest = float(np.finfo(y.get_element_type().to_dtype()).min)
    return b.op.maximum(y, b.like(lowest, y))


def _source(b: Builder, tensor: Tensor) -> Any:
    """What quantises a tensor, else the constant or input that it follows from."""
    node = b.port(tensor).get_node()
    while node.get_input_size() and node.get_type_name() != "FakeQuantize":
        node = node.input_value(0).get_node()
    return node


def _is_bytes(source: Any) -> bool:
    if source.get_type_name() == "FakeQuantize":
        return True
    return bool(source.get_element_type().to_dtype().itemsize == 1)


def _is_signed(source: Any) -> bool:
    if source.get_type_name() == "FakeQuantize":
        return bool((source.input_value(1).get_node().data < 0).any())
    return bool(source.get_element_type().to_dtype() == np.int8)


def _has_columns(source: Any) -> bool:
    """Whether `source` quantises by limits for each index of an axis."""
    return bool(source.get_input_size() and source.input_value(1).get_node().data.size > 1)


def _meets_columns(node: Node, steps: int) -> bool:
    """Whether a constant of several elements is an operand of `node` or of elementwise ops after it."""
    if any(value.data is not None and value.data.size > 1 for value in node.all_inputs()):
        return True
    users = [user for value in node.all_outputs() for user in value.users]
    followers = (user for user in users if user.op == "assign" or has_trait(user.op, Trait.ELEMENTWISE))
    return steps > 0 and any(_meets_columns(user, steps - 1) for user in followers)
