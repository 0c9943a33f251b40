"""Small questions that fusions ask about a graph."""

from __future__ import annotations

from collections.abc import Collection

from lite.ir.graph import Node, Value
from lite.ir.program import AttrValue
from lite.ops import get_schema


def producer(value: Value, ops: Collection[str]) -> Node | None:
    """The node that wrote `value`, if its op is one of `ops`."""
    node = value.producer
    return node if node is not None and node.op in ops else None


def sole_producer(value: Value, ops: Collection[str]) -> Node | None:
    """Like `producer`, and nothing else reads `value`: the node may be merged into its only user."""
    return producer(value, ops) if value.only_user is not None else None


def attributes(node: Node) -> dict[str, AttrValue]:
    """The attributes of a node with the schema's defaults filled in."""
    return get_schema(node.op).attr_values(node.attrs)


def is_plain_float(*values: Value) -> bool:
    """Whether all values are floating point and none is quantised."""
    return all(v.dtype is not None and v.dtype.is_float and v.quant is None for v in values)
