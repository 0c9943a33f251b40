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


def test_a_name_that_is_no_function() -> None:
    other = function("Other", helper.make_node("Neg", ["a"], ["b"]))

    with pytest.raises(ModelParseError, match=r"1 ONNX op types are not supported: mine.Strange \(1x"):
        run(model([other], "Strange"), {"x": X})
