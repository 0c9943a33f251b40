"""Paddle's other names of ops: channel_shuffle, index_sample and mv."""

from __future__ import annotations

from lite.ir.graph import Graph, Node
from lite.ops import get_schema
from lite.passes.cleanup.spelling import spelling


@spelling("channel_shuffle")
def channel_shuffle(_: Graph, node: Node) -> bool:
    """channel_shuffle of channels before the image is shuffle_channel."""
    attrs = get_schema(node.op).attr_values(node.attrs)
    if attrs["data_format"] != "NCHW":
        return False
    node.op, node.attrs = "shuffle_channel", {"group": attrs["groups"]}
    return True


@spelling("index_sample")
def index_sample(_: Graph, node: Node) -> bool:
    """index_sample is take_along_axis of rows."""
    node.op, node.attrs = "take_along_axis", {"Axis": 1}
    _rename(node, {"X": "Input"}, {"Out": "Result"})
    return True


@spelling("mv")
def mv(_: Graph, node: Node) -> bool:
    """mv is matmul_v2 with a vector."""
    node.op, node.attrs = "matmul_v2", {}
    _rename(node, {"Vec": "Y"}, {})
    return True


def _rename(node: Node, inputs: dict[str, str], outputs: dict[str, str]) -> None:
    for slot, name in inputs.items():
        values = list(node.inputs[slot])
        node.set_input(slot, ())
        node.set_input(name, values)
    node.outputs = {outputs.get(slot, slot): values for slot, values in node.outputs.items()}
