"""Functions of the model's own are written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from lite.errors import ModelParseError
from tests.model_parser.onnx.node_models import run, same

X = np.array([1.0, -2.0], np.float32)
OPSETS = [helper.make_opsetid("", 17), helper.make_opsetid("mine", 1)]


def function(name: str, *nodes: onnx.NodeProto, attributes: tuple[str, ...] = ()) -> onnx.FunctionProto:
    return helper.make_function("mine", name, ["a"], ["b"], nodes, OPSETS, attributes)


def model(functions: list[onnx.FunctionProto], op: str, **attrs: Any) -> onnx.ModelProto:
    call = helper.make_node(op, ["x"], ["y"], domain="mine", **attrs)
    fed = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])]
    graph = helper.make_graph([call], "g", fed, [onnx.ValueInfoProto(name="y")])
    return helper.make_model(graph, functions=functions, opset_imports=OPSETS, ir_version=8)


def test_a_function_that_calls_another_with_an_attribute() -> None:
    slope = helper.make_node("LeakyRelu", ["a"], ["b"])
    slope.attribute.append(
        onnx.AttributeProto(name="alpha", type=onnx.AttributeProto.FLOAT, ref_attr_name="slope")
    )
    inner = function("Bent", slope, attributes=("slope",))
    outer = function(
        "Twice",
        helper.make_node("Bent", ["a"], ["c"], domain="mine", slope=0.5),
        helper.make_node("Bent", ["c"], ["b"], domain="mine", slope=0.25),
    )

    same([run(model([inner, outer], "Twice"), {"x": X})["y"]], [np.array([1.0, -0.25], np.float32)])


def test_functions_that_call_each_other() -> None:
    first = function("First", helper.make_node("Second", ["a"], ["b"], domain="mine"))
    second = function("Second", helper.make_node("First", ["a"], ["b"], domain="mine"))

    with pytest.raises(ModelParseError, match=r"a circle: mine\.First calls mine\.Second calls mine\.First$"):
        run(model([first, second], "First"), {"x": X})


def test_functions_that_become_too_many_nodes() -> None:
    functions = [
        function(
            f"F{n}",
            helper.make_node(f"F{n + 1}", ["a"], ["c"], domain="mine"),
            helper.make_node(f"F{n + 1}", ["c"], ["b"], domain="mine"),
        )
        for n in range(40)
    ]
    functions.append(function("F40", helper.make_node("Neg", ["a"], ["b"])))

    with pytest.raises(
        ModelParseError, match=r"1099511627776 nodes where .* written out, expected at most 1000000"
    ):
        run(model(functions, "F0"), {"x": X})


def test_functions_that_call_too_deep() -> None:
    functions = [
        function(f"F{n}", helper.make_node(f"F{n + 1}", ["a"], ["b"], domain="mine")) for n in range(200)
    ]

    with pytest.raises(ModelParseError, match=r"calls more than 100 deep: mine\.F97 calls"):
        run(model(functions, "F0"), {"x": X})


def test_a_function_in_a_branch() -> None:
    twice = function("Twice", helper.make_node("Add", ["a", "a"], ["b"]))
    branches = [
        helper.make_graph(
            [helper.make_node(op, ["x"], ["r"], domain=domain)], "g", [], [onnx.ValueInfoProto(name="r")]
        )
        for op, domain in (("Twice", "mine"), ("Neg", ""))
    ]
    given = model([twice], "Twice")
    given.graph.node[0].CopyFrom(
        helper.make_node("If", ["c"], ["y"], then_branch=branches[0], else_branch=branches[1])
    )
    given.graph.input.append(helper.make_tensor_value_info("c", TensorProto.BOOL, []))

    same([run(given, {"x": X, "c": np.array(True)})["y"]], [2 * X])
    same([run(given, {"x": X, "c": np.array(False)})["y"]], [-X])


def test_a_function_of_another_opset() -> None:
    body = helper.make_node("ReduceMean", ["a"], ["b"], axes=[0])
    older = helper.make_function("mine", "Mean", ["a"], ["b"], [body], [helper.make_opsetid("", 13)])
    given = model([older], "Mean")
    given.opset_import[0].version = 18

    same([run(given, {"x": X})["y"]], [np.array([-0.5], np.float32)])


def test_a_name_that_is_no_function() -> None:
    other = function("Other", helper.make_node("Neg", ["a"], ["b"]))

    with pytest.raises(ModelParseError, match=r"1 ONNX op types are not supported: mine.Strange \(1x"):
        run(model([other], "Strange"), {"x": X})
