"""Graphs in the attributes of nodes."""

from __future__ import annotations

from collections.abc import Iterable

import onnx


def nested_graphs(node: onnx.NodeProto) -> Iterable[onnx.GraphProto]:
    """The bodies of a loop, the branches of an If."""
    for attr in node.attribute:
        if attr.type == onnx.AttributeProto.GRAPH:
            yield attr.g
        yield from attr.graphs
