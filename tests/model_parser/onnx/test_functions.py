"""Functions of the model are inlined."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from lite.errors import ModelParseError
from lite.model_parser.onnx.functions import inline_functions
from tests.model_parser.onnx.node_models import check_equal, run

X = np.array([1.0, -2.0], np.float32)
OPSETS = [helper.make_opsetid("", 17), helper.make_opsetid("mine", 1)]


def function(name: str, *nodes: onnx.NodeProto, attributes: tuple[str, ...] = ()) -> onnx.FunctionProto:
    return helper.make_function("mine", name, ["a"], ["b"], nodes, OPSETS, attributes)


def model(functions: list[onnx.FunctionProto], op: str, **attrs: Any) -> onnx.ModelProto:
    call = helper.make_node(op, ["x"], ["y"], domain="mine", **attrs)
    feeds = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])]
    graph = helper.make_graph([call], "g", feeds, [onnx.ValueInfoProto(name="y")])
    return helper.make_model(graph, functions=functions, opset_imports=OPSETS, ir_version=8)


def _node(op: str, source: str, result: str, domain: str = "mine") -> onnx.NodeProto:
    return helper.make_node(op, [source], [result], domain=domain)


def test_nested_functions_with_an_attribute() -> None:
    slope = helper.make_node("LeakyRelu", ["a"], ["b"])
    slope.attribute.append(
        onnx.AttributeProto(name="alpha", type=onnx.AttributeProto.FLOAT, ref_attr_name="slope")
    )
    inner = function("Slope", slope, attributes=("slope",))
    outer = function(
        "Twice",
        helper.make_node("Slope", ["a"], ["c"], domain="mine", slope=0.5),
        helper.make_node("Slope", ["c"], ["b"], domain="mine", slope=0.25),
    )

    check_equal([run(model([inner, outer], "Twice"), {"x": X})["y"]], [np.array([1.0, -0.25], np.float32)])


def test_functions_that_call_each_other_are_refused() -> None:
    first = function("First", helper.make_node("Second", ["a"], ["b"], domain="mine"))
    second = function("Second", helper.make_node("First", ["a"], ["b"], domain="mine"))

    with pytest.raises(ModelParseError, match=r"a cycle: mine\.First calls mine\.Second calls mine\.First$"):
        run(model([first, second], "First"), {"x": X})


def test_functions_of_too_many_nodes_are_refused() -> None:
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
        ModelParseError, match=r"1099511627776 nodes after .* inlined, expected at most 10496"
    ):
        run(model(functions, "F0"), {"x": X})


def test_a_function_of_a_layer_may_be_called_by_many_layers() -> None:
    """As exporters write it: one function for a class of modules, with a call for each module."""
    names = ["a", *(f"v{n}" for n in range(199)), "b"]
    layer = function("Layer", *(helper.make_node("Neg", [a], [b]) for a, b in itertools.pairwise(names)))
    names = ["x", *(f"u{n}" for n in range(99)), "y"]
    calls = [helper.make_node("Layer", [a], [b], domain="mine") for a, b in itertools.pairwise(names)]
    many = model([layer], "Layer")
    del many.graph.node[:]
    many.graph.node.extend(calls)
    assert len(inline_functions(many, "many").graph.node) == 20_000


def test_functions_nested_too_deep_are_refused() -> None:
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
    branching = model([twice], "Twice")
    branching.graph.node[0].CopyFrom(
        helper.make_node("If", ["c"], ["y"], then_branch=branches[0], else_branch=branches[1])
    )
    branching.graph.input.append(helper.make_tensor_value_info("c", TensorProto.BOOL, []))

    check_equal([run(branching, {"x": X, "c": np.array(True)})["y"]], [2 * X])
    check_equal([run(branching, {"x": X, "c": np.array(False)})["y"]], [-X])


def test_a_function_of_an_older_opset_is_converted() -> None:
    body = helper.make_node("ReduceMean", ["a"], ["b"], axes=[0])
    older = helper.make_function("mine", "Mean", ["a"], ["b"], [body], [helper.make_opsetid("", 13)])
    newer = model([older], "Mean")
    newer.opset_import[0].version = 18

    check_equal([run(newer, {"x": X})["y"]], [np.array([-0.5], np.float32)])


def test_a_function_of_an_older_opset_with_the_same_ops_needs_no_conversion() -> None:
    """A conversion would need the type of what the other function returns."""
    opset = [helper.make_opsetid("", 21)]
    parts = helper.make_function(
        "mine", "Parts", ["a"], ["b"], [_node("Unknown", "a", "b")], [*opset, OPSETS[1]]
    )
    inner = helper.make_function("mine", "Unknown", ["a"], ["b"], [_node("Neg", "a", "b", "")], opset)
    newer = model([parts, inner], "Parts")
    newer.graph.node.append(_node("Unknown", "y", "z"))
    newer.graph.output[0].name = "z"
    newer.opset_import[0].version, newer.ir_version = 22, 10

    check_equal([run(newer, {"x": X})["z"]], [X])


def test_the_version_of_a_domain_of_functions_does_not_matter() -> None:
    imports = [OPSETS[0], helper.make_opsetid("mine", 17)]
    outer = helper.make_function("mine", "Outer", ["a"], ["b"], [_node("Inner", "a", "b")], imports)
    inner = helper.make_function("mine", "Inner", ["a"], ["b"], [_node("Neg", "a", "b", "")], imports)

    check_equal([run(model([outer, inner], "Outer"), {"x": X})["y"]], [-X])


def test_an_unknown_function_is_not_supported() -> None:
    other = function("Other", helper.make_node("Neg", ["a"], ["b"]))

    with pytest.raises(ModelParseError, match=r"1 ONNX op types are not supported: mine.Unknown \(1x"):
        run(model([other], "Unknown"), {"x": X})
