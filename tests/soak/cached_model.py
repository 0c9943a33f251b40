"""A model that is run from caches: its plan, packed weights, device model and machine code are kept files."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

import lite
from lite.ir.types import Array

TOLERANCE = 1e-3


def write_model(path: Path) -> None:
    """Write an ONNX model of convolutions, a matrix product and elementwise ops, with an old time stamp."""
    rng = np.random.default_rng(0)
    shapes = {"w1": (16, 3, 3, 3), "w2": (32, 16, 3, 3), "w3": (32, 5)}
    weights = [
        numpy_helper.from_array((rng.standard_normal(shape) / 8).astype(np.float32), name)
        for name, shape in shapes.items()
    ]
    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["a"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Conv", ["b", "w2"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("Sigmoid", ["c"], ["d"]),
        helper.make_node("Mul", ["c", "d"], ["e"]),
        helper.make_node("GlobalAveragePool", ["e"], ["f"]),
        helper.make_node("Flatten", ["f"], ["g"]),
        helper.make_node("MatMul", ["g", "w3"], ["h"]),
        helper.make_node("Softmax", ["h"], ["y"]),
    ]
    inputs = [helper.make_tensor_value_info("x", 1, [1, 3, 16, 16])]
    graph = helper.make_graph(nodes, "g", inputs, [onnx.ValueInfoProto(name="y")], weights)
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), path)
    # A plan is stored only of files that were not just written.
    os.utime(path, (1e9, 1e9))


def model_input() -> Array:
    """The input of all runs."""
    return np.random.default_rng(1).standard_normal((1, 3, 16, 16)).astype(np.float32)


class CachedModel:
    """The model in a folder, with a cache for it, and the answer of the host without a cache."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.path, self.cache = folder / "m.onnx", folder / "cache"
        write_model(self.path)
        host = lite.create_predictor(lite.Config(self.path, valid_places=["host"]))
        self.expected = host.run([model_input()])["y"]

    def run(
        self, devices: tuple[str, ...] = (), compilation: str = "wait", placement: str = "priority"
    ) -> str:
        """Make a predictor from the caches and run it; ``right``, or what is wrong."""
        config = lite.Config(
            self.path, cache_dir=self.cache, devices=devices, min_subgraph_ops=1, compilation=compilation,
            placement=placement,
        )  # fmt: skip
        answer = lite.create_predictor(config).run([model_input()])["y"]
        if answer.shape != self.expected.shape:
            return f"shape {answer.shape}"
        difference = float(np.abs(answer - self.expected).max())
        return "right" if difference <= TOLERANCE else f"differs by {difference}"
