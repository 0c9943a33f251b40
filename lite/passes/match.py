"""Predicates and edits that many passes share."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from lite.errors import GraphError
from lite.ir.attributes import Attributes
from lite.ir.graph import Node, Value
from lite.ir.program import AttrValue
from lite.ir.types import Array
from lite.ops import Trait, get_schema, has_trait
from lite.ops.broadcast import aligned


def producer(value: Value, ops: Collection[str]) -> Node | None:
    """The node that wrote `value`, if its op is one of `ops`."""
    node = value.producer
    return node if node is not None and node.op in ops else None


def uncast(value: Value) -> Value:
    """The value from which `value` was made by casts alone."""
    while (cast := producer(value, ("cast",))) is not None:
        value = cast.input("X")
    return value


def sole_producer(value: Value, ops: Collection[str]) -> Node | None:
    """Like `producer`, if `value` has one user only, with which the node may be merged."""
    return producer(value, ops) if value.only_user is not None else None


def is_unary(node: Node) -> bool:
    """Whether each element of a node's one output depends on one element of its one input alone."""
    if not has_trait(node.op, Trait.ELEMENTWISE):
        return False
    return sum(1 for _ in node.all_inputs()) == 1 and sum(1 for _ in node.all_outputs()) == 1


def attributes(node: Node) -> Attributes:
    """The attributes of a node with the defaults of its schema filled in."""
    return Attributes(node.op, get_schema(node.op).attr_values(node.attrs))


def is_plain_float(*values: Value) -> bool:
    """Whether all values are of floating point types and none is quantised."""
    return all(v.dtype is not None and v.dtype.is_float and v.quant is None for v in values)


def per_channel(array: Array, channels: int, rank: int, channel_axis: int, axis: int) -> Array | None:
    """A constant operand of an elementwise op as one number per channel; None if it is anything else.

    `axis` is the attribute of the op that aligns the constant with the other operand, which has `rank`
    axes and its channels on `channel_axis`.  A single number is repeated for all channels.
    """
    if array.ndim > rank:
        return None
    try:
        shape, _ = aligned(array.shape, (1,) * rank, axis)
    except GraphError:
        return None
    if array.size == 1:
        return np.broadcast_to(array.reshape(1), (channels,))
    fits = array.size == channels == shape[channel_axis]
    return array.reshape(channels) if fits else None


def take_output(node: Node, slot: str, last: Node, last_slot: str) -> None:
    """Replace the output of `node` by the output of `last`, its only user, and erase `last`."""
    value = last.output(last_slot)
    inner = node.output(slot)
    last.outputs = {}
    last.graph.erase(last)
    inner.producer = None
    value.producer = node
    node.outputs[slot] = [value]


def scalar(value: Value) -> float | None:
    """The number in a floating point constant with one element; None for any other value."""
    if value.data is None or value.data.size != 1 or not is_plain_float(value):
        return None
    return float(value.data.reshape(-1)[0])


def become(
    node: Node, op: str, inputs: Mapping[str, Sequence[Value]], attrs: Mapping[str, AttrValue]
) -> None:
    """Change the op, inputs and attributes of a node with one output.

    The output moves to the first slot of the new op's schema.  Nodes that only computed inputs which the
    node no longer reads are erased.
    """
    [value] = node.all_outputs()
    before = list(node.all_inputs())
    for slot in list(node.inputs):
        node.set_input(slot, ())
    for slot, values in inputs.items():
        node.set_input(slot, values)
    node.op, node.attrs = op, dict(attrs)
    node.outputs = {next(iter(get_schema(op).outputs)): [value]}
    erase_unread(before)


def erase_unread(values: Iterable[Value]) -> None:
    """Erase the producers of unused values, and then the producers of inputs that became unused."""
    pending = list(values)
    while pending:
        value = pending.pop()
        node = value.producer
        if node is None or node.graph is not value.graph or node.effect:
            continue
        if any(output.is_used for output in node.all_outputs()):
            continue
        pending.extend(node.all_inputs())
        node.graph.erase(node)
