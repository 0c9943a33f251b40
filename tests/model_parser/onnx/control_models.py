"""Models around nodes that have graphs."""

from __future__ import annotations

import onnx
from onnx import helper


def info(name: str, kind: int, shape: list[int] | None) -> onnx.ValueInfoProto:
    """A value's name and type."""
    return helper.make_tensor_value_info(name, kind, shape)


def model_of(
    nodes: list[onnx.NodeProto], inputs: list[onnx.ValueInfoProto], outputs: list[str], opset: int = 17
) -> onnx.ModelProto:
    """Nodes between inputs and outputs."""
    results = [onnx.ValueInfoProto(name=name) for name in outputs]
    graph = helper.make_graph(nodes, "graph", inputs, results)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
