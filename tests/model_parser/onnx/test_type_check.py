"""Element types of inputs that ONNX does not allow together."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, parser

import lite
from lite.errors import ModelParseError

RELU_OR = "then_branch = a () => (float[2] r) { r = Relu(x) }, else_branch = b () =>"


@pytest.mark.parametrize(
    ("inputs", "nodes", "message"),
    [
        (
            "",
            "y = Cast <to = 7> (x)",
            r"\(Cast\): output 'y': expected float32, as the model declares, got int64",
        ),
        (
            "int64[2] i",
            "y = Add(x, i)",
            r"\(Add\): input 1 \('i'\): expected float32, as input 0 is, got int64",
        ),
        (
            "double d",
            "y = Clip(x, , d)",
            r"\(Clip\): input 2 \('d'\): expected float32, as input 0 is, got float64",
        ),
        (
            "bool[2] b",
            "y = Mul(b, x)",
            r"\(Mul\): input 1 \('x'\): expected bool, as input 0 is, got float32",
        ),
        ("float[1] s", "y = Reshape(x, s)", r"\(Reshape\): input 1 \('s'\): expected int64, got float32"),
        (
            "float[2] i",
            "y = Gather(x, i)",
            r"\(Gather\): input 1 \('i'\): expected int32 or int64, got float32",
        ),
        (
            "float c",
            f"y = If(c) <{RELU_OR} (float[2] r) {{ r = Neg(x) }}>",
            r"\(If\): input 0 \('c'\): expected bool, got float32",
        ),
        (
            "bool c",
            f"y = If(c) <{RELU_OR} (int64[2] r) {{ r = Cast <to = 7> (x) }}>",
            r"\(If\): output 'y': expected float32, as the model declares, got int64",
        ),
    ],
)
def test_conflicting_types_are_refused(inputs: str, nodes: str, message: str) -> None:
    with pytest.raises(ModelParseError, match=rf"^model buffer of \d+ bytes: node \['y'\] {message}"):
        load(inputs, nodes)


def test_an_initialiser_of_another_type_than_the_input_is_refused() -> None:
    with pytest.raises(
        ModelParseError, match="initialiser 'w': expected float32, the type of the input of that name, got i"
    ):
        load("float[2] w", "y = Add(x, w)", "<int64[2] w = {1, 2}>")


def test_an_initialiser_keeps_its_type_where_a_tool_declared_another() -> None:
    """Conversions to float16 leave such declarations; ONNX Runtime ignores them, too."""
    model = parser.parse_model(
        """<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y)
        <float[2] w = {1, 2}> { y = Add(x, w) }"""
    )
    model.graph.value_info.append(helper.make_tensor_value_info("w", TensorProto.FLOAT16, [2]))
    predictor = lite.create_predictor(lite.Config(model_buffer=model.SerializeToString()))

    result = predictor.run({"x": np.array([3, 4], np.float32)})["y"]

    np.testing.assert_array_equal(result, np.array([4, 6], np.float32))


@pytest.mark.parametrize(
    "nodes",
    [
        "y = Where(b, x, x)",
        "i = Cast <to = 7> (x) y = Gather(x, i)",
        "r, m = Dropout(x) y = Pow(x, r)",
        "k = Constant <value_ints = [2]> () y = Pow(x, k)",
        "k = Constant <value_ints = [4]> () y = Resize(x, , , k)",
    ],
)
def test_independent_types_are_accepted(nodes: str) -> None:
    load("bool[2] b", nodes)


def load(inputs: str, nodes: str, weights: str = "") -> None:
    listed = ", ".join(["float[2] x", *([inputs] if inputs else [])])
    text = f'<ir_version: 8, opset_import: ["" : 17]> g ({listed}) => (float[k] y) {weights} {{ {nodes} }}'
    model = parser.parse_model(text)
    lite.load_program(lite.Config(model_buffer=model.SerializeToString()))
