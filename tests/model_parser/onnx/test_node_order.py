"""The order of nodes, and names that are written twice or never."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite.errors import ModelParseError
from lite.model_parser.onnx.node_order import order_nodes
from tests.model_parser.onnx.node_models import check_equal, run

X = np.array([1.0, -2.0], np.float32)
WEIGHT = numpy_helper.from_array(np.array([3.0, 4.0], np.float32), "w")


def node(op: str, inputs: str, output: str) -> onnx.NodeProto:
    return helper.make_node(op, inputs.split(), [output], name=f"make_{output}")


def graph(*nodes: onnx.NodeProto, inputs: str = "x", weights: int = 0) -> onnx.GraphProto:
    feeds = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in inputs.split()]
    return helper.make_graph(nodes, "g", feeds, [onnx.ValueInfoProto(name="y")], [WEIGHT] * weights)


def model(*nodes: onnx.NodeProto, inputs: str = "x", weights: int = 0, ir: int = 8) -> onnx.ModelProto:
    return helper.make_model(
        graph(*nodes, inputs=inputs, weights=weights),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=ir,
    )


def ordered_outputs(graph: onnx.GraphProto) -> list[str]:
    order_nodes(graph, "file")
    return [node.output[0] for node in graph.node]


def test_nodes_in_order_keep_their_order() -> None:
    unordered = graph(node("Abs", "x", "b"), node("Neg", "x", "a"), node("Add", "a b", "y"))

    assert ordered_outputs(unordered) == ["b", "a", "y"]


def test_nodes_out_of_order_are_sorted() -> None:
    unordered = graph(node("Add", "a b", "y"), node("Neg", "b", "a"), node("Abs", "x", "b"))

    assert ordered_outputs(unordered) == ["b", "a", "y"]


def test_reads_of_nested_graphs_count() -> None:
    body = helper.make_graph([node("Neg", "a", "y")], "body", [], [onnx.ValueInfoProto(name="y")])
    branch = helper.make_node("If", ["c"], ["y"], then_branch=body, else_branch=body, name="make_y")
    unordered = graph(branch, node("Abs", "x", "a"), node("Cast", "x", "c"))

    assert ordered_outputs(unordered) == ["a", "c", "y"]


def test_a_sorted_model_runs() -> None:
    outputs = run(model(node("Relu", "a", "y"), node("Neg", "x", "a")), {"x": X})

    check_equal([outputs["y"]], [np.array([0.0, 2.0], np.float32)])


@pytest.mark.parametrize("ir", [3, 8])
def test_an_initialiser_that_is_an_input_too(ir: int) -> None:
    outputs = run(model(node("Add", "x w", "y"), inputs="x w", weights=1, ir=ir), {"x": X})

    check_equal([outputs["y"]], [np.array([4.0, 2.0], np.float32)])


@pytest.mark.parametrize("name", ["feed", "fetch"])
def test_names_that_paddle_uses(name: str) -> None:
    outputs = run(model(node("Neg", name, "a"), node("Relu", "a", "y"), inputs=name), {name: X})

    check_equal([outputs["y"]], [np.array([0.0, 2.0], np.float32)])


@pytest.mark.parametrize(
    ("onnx_model", "message"),
    [
        (
            model(node("Add", "x b", "a"), node("Neg", "a", "b"), node("Abs", "b", "y")),
            r"these nodes wait for each other's results: node make_a \(Add\), node make_b \(Neg\)",
        ),
        (
            model(node("Abs", "z", "y")),
            r"node make_y \(Abs\) reads 'z', which is no input, initialiser or output of a node",
        ),
        (model(node("Abs", "x", "a")), "output 'y' is no input, initialiser or output of a node"),
        (
            model(node("Abs", "x", "y"), node("Neg", "x", "y")),
            r"'y' is the name of two values: node make_y \(Abs\) and an output of node make_y \(Neg\)",
        ),
        (
            model(node("Abs", "x", "x"), node("Neg", "x", "y")),
            r"'x' is the name of two values: an input and an output of node make_x \(Abs\)",
        ),
        (model(node("Abs", "x", "y"), inputs="x x"), "'x' is the name of two values, each an input"),
        (model(node("Abs", "x", "y"), weights=2), "'w' is the name of two values, each an initialiser"),
    ],
)
def test_invalid_names_are_refused(onnx_model: onnx.ModelProto, message: str) -> None:
    with pytest.raises(ModelParseError, match=message):
        run(onnx_model, {})
