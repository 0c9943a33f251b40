"""Nested graphs, nodes and strings of a model."""

from __future__ import annotations

import pytest
from onnx import parser

import lite
from lite.errors import ModelParseError
from lite.model_parser.onnx.traversal import all_nodes, initialiser_names
from tests.model_parser.onnx.small_onnx import small_models


def test_nodes_of_nested_graphs_follow_their_node() -> None:
    graph = small_models()["control"].graph

    ops = [node.op_type for node in all_nodes(graph.node)]

    assert ops == ["Loop", "Identity", "Add", "Neg", "If", "Relu", "Abs"]


def test_initialisers_have_their_names() -> None:
    assert initialiser_names(small_models()["layers"].graph) == ["w", "b", "shape", "m"]


@pytest.mark.parametrize("field", ["op_type", "name", "domain", "input", "output"])
def test_names_that_are_not_utf8_are_refused(field: str) -> None:
    model = parser.parse_model(
        '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) { y = Relu(x) }'
    )
    node = model.graph.node[0]
    node.name = "some name"
    node.domain = "QQQQ" if field == "domain" else ""
    word = {"op_type": "Relu", "name": "some name", "domain": "QQQQ", "input": "x", "output": "y"}[field]
    data = model.SerializeToString()
    damaged = data.replace(word.encode(), b"\xff" * len(word))
    with pytest.raises(ModelParseError, match=r"expected names in UTF-8, got b'\\xff"):
        lite.load_program(lite.Config(model_buffer=damaged))
