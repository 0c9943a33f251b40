"""Names and order of nodes."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite.errors import ModelParseError
from lite.model_parser.onnx.node_order import order_nodes
from tests.model_parser.onnx.node_models import run, same

X = np.array([1.0, -2.0], np.float32)
WEIGHT = numpy_helper.from_array(np.array([3.0, 4.0], np.float32), "w")


def node(op: str, inputs: str, output: str) -> onnx.NodeProto:
    return helper.make_node(op, inputs.split(), [output], name=f"make_{output}")


def graph(*nodes: onnx.NodeProto, inputs: str = "x", weights: int = 0) -> onnx.GraphProto:
    fed = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in inputs.split()]
    return helper.make_graph(nodes, "g", fed, [onnx.ValueInfoProto(name="y")], [WEIGHT] * weights)


def model(*nodes: onnx.NodeProto, inputs: str = "x", weights: int = 0, ir: int = 8) -> onnx.ModelProto:
    return helper.make_model(
        graph(*nodes, inputs=inputs, weights=weights),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=ir,
    )


def order(given: onnx.GraphProto) -> list[str]:
    order_nodes(given, "file")
    return [node.output[0] for node in given.node]


def test_order_stays_where_it_is_right() -> None:
    given = graph(node("Abs", "x", "b"), node("Neg", "x", "a"), node("Add", "a b", "y"))

    assert order(given) == ["b", "a", "y"]


def test_nodes_are_sorted() -> None:
    given = graph(node("Add", "a b", "y"), node("Neg", "b", "a"), node("Abs", "x", "b"))

    assert order(given) == ["b", "a", "y"]


def test_what_a_nested_graph_reads_counts() -> None:
    body = helper.make_graph([node("Neg", "a", "y")], "body", [], [onnx.ValueInfoProto(name="y")])
    branch = helper.make_node("If", ["c"], ["y"], then_branch=body, else_branch=body, name="make_y")
    given = graph(branch, node("Abs", "x", "a"), node("Cast", "x", "c"))

    assert order(given) == ["a", "c", "y"]


def test_sorted_model_runs() -> None:
    found = run(model(node("Relu", "a", "y"), node("Neg", "x", "a")), {"x": X})

    same([found["y"]], [np.array([0.0, 2.0], np.float32)])


@pytest.mark.parametrize("ir", [3, 8])
def test_an_initialiser_that_is_an_input_too(ir: int) -> None:
    found = run(model(node("Add", "x w", "y"), inputs="x w", weights=1, ir=ir), {"x": X})

    same([found["y"]], [np.array([4.0, 2.0], np.float32)])


@pytest.mark.parametrize("name", ["feed", "fetch"])
def test_names_that_paddle_uses(name: str) -> None:
    found = run(model(node("Neg", name, "a"), node("Relu", "a", "y"), inputs=name), {name: X})

    same([found["y"]], [np.array([0.0, 2.0], np.float32)])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            model(node("Add", "x b", "a"), node("Neg", "a", "b"), node("Abs", "b", "y")),
            r"these nodes wait for each other's results: node make_a \(Add\), node make_b \(Neg\)",
        ),
        (model(node("Abs", "z", "y")), r"node make_y \(Abs\) reads 'z', which nothing writes"),
        (model(node("Abs", "x", "a")), "output 'y' is written by nothing"),
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
def test_errors(given: onnx.ModelProto, message: str) -> None:
    with pytest.raises(ModelParseError, match=message):
        run(given, {})
