"""The trial conversion: its sentences, and the nodes of conversions."""

from __future__ import annotations

import numpy as np
import pytest

from lite.emission.onnx.bridging import OPSET, Context, OpBridge
from lite.emission.onnx.builder import Builder
from lite.errors import CompileError
from lite.plugin.device import BridgeOp, convert, meta_of
from tests.bridges.devices import ONNXRUNTIME
from tests.bridges.region import region


def one(op: str, arguments: str, result: str = "%y") -> str:
    return f"graph main({arguments}) {{\n  {result} = {op}\n  return %y\n}}\n"


def nodes(text: str) -> list[str]:
    """The types of the ONNX nodes that a region becomes."""
    builder = Builder(OPSET)
    convert(region(text), ONNXRUNTIME.open(), builder)
    return [node.op_type for node in builder.nodes]


def test_a_supported_op_is_accepted() -> None:
    assert ONNXRUNTIME.why_not(one("relu(X=%x)", "%x: float32[n,3]")) is None


def test_an_element_type_without_a_kernel_is_declined() -> None:
    text = one("acos(X=%x)", "%x: float64[2]")
    assert ONNXRUNTIME.why_not(text) == "ONNX Runtime has no kernel for Acos of float64"


def test_an_element_type_that_onnx_does_not_allow_is_declined() -> None:
    text = one("bitwise_not(X=%x)", "%x: bool[2]")
    assert ONNXRUNTIME.why_not(text) == "ONNX's BitwiseNot does not take bool"


def test_float16_is_accepted_where_onnx_runtime_widens_it() -> None:
    assert ONNXRUNTIME.why_not(one("softmax(X=%x)", "%x: float16[2,3]")) is None


def test_an_output_that_onnx_does_not_compute_is_declined() -> None:
    text = "graph main(%x: float32[2,3]) {\n  Y=%y, Mean=%mean = layer_norm(X=%x)\n  return %y, %mean\n}\n"
    assert ONNXRUNTIME.why_not(text) == "output Mean is read, and ONNX does not compute it"


def test_an_unknown_size_is_declined_where_it_decides() -> None:
    text = one('pool2d(X=%x) {pooling_type="avg", ksize=[3, 3], adaptive=true}', "%x: float32[1,2,h,w]")
    reason = "the sizes of the image must be known to average [3, 3] bins, got float32[1,2,h,w]"
    assert ONNXRUNTIME.why_not(text) == reason


def test_a_fused_convolution_is_declined() -> None:
    text = one(
        'conv2d(Input=%x, Filter=%w) {activation="relu"}',
        "%x: float32[1,2,4,4], %w: float32[3,2,1,1]",
        "Output=%y",
    )
    assert ONNXRUNTIME.why_not(text) == "it is a fused convolution, with activation"


def test_an_integer_divisor_that_is_not_constant_is_declined() -> None:
    text = one("elementwise_div(X=%x, Y=%z)", "%x: int32[2], %z: int32[2]")
    reason = "X is int32[2], and Y is not constant: ONNX Runtime cannot divide integers by 0"
    assert ONNXRUNTIME.why_not(text) == reason


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
def test_an_op_becomes_the_expected_nodes(op: str, arguments: str, expected: list[str]) -> None:
    assert nodes(one(op, arguments)) == expected


def test_a_convolution_with_channels_last_is_between_transposes() -> None:
    text = one(
        'conv2d(Input=%x, Filter=%w) {data_format="NHWC"}',
        "%x: float32[1,4,4,2], %w: float32[3,2,1,1]",
        "Output=%y",
    )
    assert nodes(text) == ["Transpose", "Conv", "Transpose"]


def test_a_result_has_the_element_type_of_the_schema() -> None:
    graph = region(one("shape(Input=%x)", "%x: float32[2,n]"))
    (node,) = graph
    assert str(meta_of(node.output())) == "int32[2]"
    assert ONNXRUNTIME.why_not(one("shape(Input=%x)", "%x: float32[2,n]")) is None


def test_atan2_is_correct_in_every_quadrant() -> None:
    numbers = np.array([0, 1, -1, 3, np.inf, -np.inf], np.float32)
    y, x = (np.array(part.reshape(-1)) for part in np.meshgrid(numbers, numbers))
    text = one("atan2(X1=%a, X2=%b)", "%a: float32[36], %b: float32[36]")

    (result,) = ONNXRUNTIME.run(text, y, x)

    np.testing.assert_allclose(result, np.arctan2(y, x), atol=1e-6)


def test_an_error_of_a_conversion_is_not_an_answer() -> None:
    def fail(op: BridgeOp, ctx: Context) -> None:
        raise CompileError("the conversion has a bug")

    (node,) = region(one("relu(X=%x)", "%x: float32[2]"))

    with pytest.raises(CompileError, match="the conversion has a bug"):
        OpBridge(fail).why_not(BridgeOp(node), ONNXRUNTIME.open())
