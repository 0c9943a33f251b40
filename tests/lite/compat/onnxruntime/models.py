"""Small ONNX models."""

from __future__ import annotations

from collections.abc import Sequence

import onnx
from onnx import TensorProto, helper


def value(
    name: str, shape: Sequence[int | str | None] | None, kind: int = TensorProto.FLOAT
) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def model(
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[onnx.ValueInfoProto],
    nodes: Sequence[onnx.NodeProto],
    weights: Sequence[onnx.TensorProto] = (),
) -> onnx.ModelProto:
    graph = helper.make_graph(nodes, "a_graph", inputs, outputs, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def sum_with_weight() -> onnx.ModelProto:
    """x: float[n, 3], w: float[3] = [1, 2, 3] → y = x + w, negated = -y (without a declared shape)."""
    made = model(
        [value("x", ["n", 3]), value("w", [3])],
        [value("y", ["n", 3]), value("negated", None)],
        [helper.make_node("Add", ["x", "w"], ["y"]), helper.make_node("Neg", ["y"], ["negated"])],
        [helper.make_tensor("w", TensorProto.FLOAT, [3], [1, 2, 3])],
    )
    made.producer_name, made.domain, made.model_version = "a producer", "a.domain", 4
    made.doc_string, made.graph.doc_string = "a model", "its graph"
    helper.set_model_props(made, {"character": "a\nb"})
    return made
