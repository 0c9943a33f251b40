"""Float models for quantisation, in both formats, and calibration data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from lite.ir.program import AttrValue, Program
from lite.ir.types import Array, DType
from tests.support.small_programs import make_program

CONV: dict[str, AttrValue] = {"strides": [1, 1], "paddings": [1, 1], "dilations": [1, 1], "groups": 1}


def weights() -> dict[str, Array]:
    rng = np.random.default_rng(0)
    shapes = {"w1": (8, 3, 3, 3), "w2": (8, 1, 3, 3), "w3": (8, 5)}
    return {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


def program() -> Program:
    """conv2d, relu, depthwise_conv2d, mean, matmul_v2 for x: float32[?, 3, 6, 6]."""
    return make_program(
        {"x": (DType.FLOAT32, (-1, 3, 6, 6))},
        weights(),
        [
            ("conv2d", {"Input": ["x"], "Filter": ["w1"]}, {"Output": ["a"]}, CONV),
            ("relu", {"X": ["a"]}, {"Out": ["b"]}, {}),
            (
                "depthwise_conv2d",
                {"Input": ["b"], "Filter": ["w2"]},
                {"Output": ["c"]},
                {**CONV, "groups": 8},
            ),
            ("reduce_mean", {"X": ["c"]}, {"Out": ["d"]}, {"dim": [2, 3], "keep_dim": False}),
            ("matmul_v2", {"X": ["d"], "Y": ["w3"]}, {"Out": ["y"]}, {}),
        ],
        ["y"],
    )


def onnx_model(opset: int = 17) -> onnx.ModelProto:
    """The network of `program` with biases, and the last weight in a Constant node."""
    arrays = weights()
    rng = np.random.default_rng(1)
    biases = {f"b{n}": rng.standard_normal(size).astype(np.float32) for n, size in ((1, 8), (3, 5))}
    last = numpy_helper.from_array(arrays.pop("w3"), "w3")
    nodes = [
        helper.make_node("Constant", [], ["w3"], value=last),
        helper.make_node("Conv", ["x", "w1", "b1"], ["a"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Conv", ["b", "w2"], ["c"], pads=[1, 1, 1, 1], group=8),
        helper.make_node("GlobalAveragePool", ["c"], ["p"]),
        helper.make_node("Flatten", ["p"], ["d"]),
        helper.make_node("Gemm", ["d", "w3", "b3"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3, 6, 6])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 5])],
        [numpy_helper.from_array(array, name) for name, array in {**arrays, **biases}.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    helper.set_model_props(model, {"character": "a b c"})
    return model


def samples(count: int = 8) -> list[dict[str, Array]]:
    rng = np.random.default_rng(2)
    return [{"x": rng.standard_normal((2, 3, 6, 6)).astype(np.float32)} for _ in range(count)]


def save_onnx(path: Path, opset: int = 17) -> Path:
    onnx.save(onnx_model(opset), path)
    return path
