"""A model that every engine can run: a convolution and relu, on sizes that are not multiples of a vector."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from lite.ir.types import Array

W = np.random.default_rng(1).standard_normal((2, 3, 3, 3)).astype(np.float32)
FEEDS = {"x": np.random.default_rng(2).standard_normal((1, 3, 5, 7)).astype(np.float32)}


def write(folder: Path) -> Path:
    """Write conv.onnx, ``y = relu(conv(x))`` for x: float32[1, 3, 5, 7], and return its path."""
    graph = helper.make_graph(
        [helper.make_node("Conv", ["x", "w"], ["c"]), helper.make_node("Relu", ["c"], ["y"])],
        "conv",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 5, 7])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2, 3, 5])],
        [numpy_helper.from_array(W, "w")],
    )
    path = folder / "conv.onnx"
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 13)]), str(path))
    return path


def expected() -> Array:
    """The result of the model, from the definition."""
    x, y = FEEDS["x"], np.zeros((1, 2, 3, 5), np.float32)
    for c in range(2):
        for i in range(3):
            for j in range(5):
                y[0, c, i, j] = max(float((x[0, :, i : i + 3, j : j + 3] * W[c]).sum()), 0.0)
    return y
