"""The work of a node, and the memory of its values."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.graph import Node, Value
from lite.ops.macs import macs
from lite.ops.view import product


def node_macs(node: Node) -> int | None:
    """The multiply-accumulates of an op; None where its shapes are unknown."""
    return macs(
        node.op,
        {slot: [value.shape for value in values] for slot, values in node.inputs.items()},
        {slot: [value.shape for value in values] for slot, values in node.outputs.items()},
    )


def value_bytes(value: Value) -> int | None:
    """The bytes of a value; None where its element type or shape is unknown."""
    count = None if value.shape is None else product(value.shape)
    return None if value.dtype is None or count is None else count * value.dtype.itemsize


def total_bytes(values: Sequence[Value]) -> int | None:
    """The bytes of several values; None where `value_bytes` is None for one of them."""
    sizes = [value_bytes(value) for value in values]
    return None if None in sizes else sum(size for size in sizes if size is not None)
