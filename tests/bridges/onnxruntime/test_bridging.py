"""What bridges say before they are asked to convert, and what they make."""

from __future__ import annotations

import numpy as np
import pytest

from lite.bridges.onnxruntime.bridging import OPSET
from lite.bridges.onnxruntime.builder import Builder
from lite.plugin.device import convert, meta_of
from tests.bridges.devices import ONNXRUNTIME
from tests.bridges.region import region


def one(op: str, arguments: str, result: str = "%y") -> str:
    return f"graph main({arguments}) {{\n  {result} = {op}\n  return %y\n}}\n"


def nodes(text: str) -> list[str]:
    """The types of the ONNX nodes that a region becomes."""
    builder = Builder(OPSET)
    convert(region(text), ONNXRUNTIME.open(), builder)
    return [node.op_type for node in builder.nodes]


def test_an_op_that_can_be_had() -> None:
    assert ONNXRUNTIME.why_not(one("relu(X=%x)", "%x: float32[n,3]")) is None


def test_an_element_type_without_a_kernel() -> None:
    text = one("acos(X=%x)", "%x: float64[2]")
    assert ONNXRUNTIME.why_not(text) == "ONNX Runtime has no kernel for Acos of float64"


def test_an_element_type_that_onnx_does_not_allow() -> None:
    text = one("bitwise_not(X=%x)", "%x: bool[2]")
    assert ONNXRUNTIME.why_not(text) == "ONNX's BitwiseNot does not take bool"


def test_half_precision_is_widened_by_onnx_runtime() -> None:
    assert ONNXRUNTIME.why_not(one("softmax(X=%x)", "%x: float16[2,3]")) is None


def test_an_output_that_is_not_made() -> None:
    text = "graph main(%x: float32[2,3]) {\n  Y=%y, Mean=%mean = layer_norm(X=%x)\n  return %y, %mean\n}\n"
    assert ONNXRUNTIME.why_not(text) == "its output Mean is read"


def test_what_needs_a_number() -> None:
    text = one('pool2d(X=%x) {pooling_type="avg", ksize=[3, 3], adaptive=true}', "%x: float32[1,2,h,w]")
    found = ONNXRUNTIME.why_not(text)
    assert found == "the sizes of the image must be known to average [3, 3] bins, got float32[1,2,h,w]"


def test_fused_forms_are_the_hosts() -> None:
    text = one(
        'conv2d(Input=%x, Filter=%w) {activation="relu"}',
        "%x: float32[1,2,4,4], %w: float32[3,2,1,1]",
        "Output=%y",
    )
    assert ONNXRUNTIME.why_not(text) == "it is a fused convolution, with activation"


def test_integers_are_divided_by_constants_only() -> None:
    found = ONNXRUNTIME.why_not(one("elementwise_div(X=%x, Y=%z)", "%x: int32[2], %z: int32[2]"))
    assert found == "integers are divided (int32[2]) by what is not constant, which may be 0"


@pytest.mark.parametrize(
    ("op", "arguments", "expected"),
    [
        ("relu(X=%x)", "%x: float32[2]", ["Relu"]),
        ("elementwise_add(X=%x, Y=%z) {axis=1}", "%x: float32[2,3,4], %z: float32[3]", ["Unsqueeze", "Add"]),
        ("elementwise_add(X=%x, Y=%z)", "%x: float32[2,3,4], %z: float32[4]", ["Add"]),
        (
            "matmul_v2(X=%x, Y=%z) {trans_y=true}",
            "%x: float32[2,3], %z: float32[4,3]",
            ["Transpose", "MatMul"],
        ),
        ("hard_swish(X=%x)", "%x: float32[2]", ["HardSigmoid", "Mul"]),
        ("mul(X=%x, Y=%z)", "%x: float32[n,3], %z: float32[3,4]", ["MatMul"]),
        ("rint(X=%x)", "%x: int32[3]", ["Identity"]),
        (
            'pool2d(X=%x) {pooling_type="avg", ksize=[2, 2], adaptive=true}',
            "%x: float32[1,2,8,6]",
            ["AveragePool"],
        ),
    ],
)
def test_nodes(op: str, arguments: str, expected: list[str]) -> None:
    assert nodes(one(op, arguments)) == expected


def test_nothing_but_transposes_around_images_with_channels_last() -> None:
    text = one(
        'conv2d(Input=%x, Filter=%w) {data_format="NHWC"}',
        "%x: float32[1,4,4,2], %w: float32[3,2,1,1]",
        "Output=%y",
    )
    assert nodes(text) == ["Transpose", "Conv", "Transpose"]


def test_a_result_of_the_trial_has_the_schemas_type() -> None:
    graph = region(one("shape(Input=%x)", "%x: float32[2,n]"))
    (node,) = graph
    assert str(meta_of(node.output())) == "int32[2]"
    assert ONNXRUNTIME.why_not(one("shape(Input=%x)", "%x: float32[2,n]")) is None


def test_angles_of_every_quarter() -> None:
    numbers = np.array([0, 1, -1, 3, np.inf, -np.inf], np.float32)
    y, x = (np.array(part.reshape(-1)) for part in np.meshgrid(numbers, numbers))
    model = ONNXRUNTIME.compile(one("atan2(X1=%a, X2=%b)", "%a: float32[36], %b: float32[36]"))

    (found,) = model.run([y, x], [None])

    np.testing.assert_allclose(found, np.arctan2(y, x), atol=1e-6)
