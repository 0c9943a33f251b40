"""A small region, and functions to compile and check it on a device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.ir.text import parse_graph
from lite.ir.types import Array
from lite.ops.infer_graph import infer_graph
from lite.plugin.device import CompiledModel, Device, meta_of

TWO = """
graph region(%x: float32[2,3], %b: float32[2,3]) {
  %w = const float32[3] [1.0, 10.0, 100.0]
  %s = elementwise_add(X=%x, Y=%w) {axis=-1}
  %y = relu(X=%s)
  %z = elementwise_sub(X=%y, Y=%b) {axis=-1}
  return %y, %z
}
"""

X = np.array([[-5, 1, 2], [3, -40, -500]], np.float32)
B = np.array([[1, 2, 3], [4, 5, 6]], np.float32)


def expected(x: Array = X, b: Array = B) -> tuple[Array, Array]:
    """The results of `TWO`, from the definition."""
    y = np.maximum(x + np.array([1, 10, 100], np.float32), 0)
    return y, y - b


def compiled(device: Device[Any], text: str = TWO) -> CompiledModel:
    """The device's model of a region."""
    graph = parse_graph(text)
    infer_graph(graph)
    return device.compile(graph, tuple(meta_of(arg) for arg in graph.args))


def check(
    model: CompiledModel, x: Array = X, b: Array = B, outputs: Sequence[Array | None] = (None, None)
) -> None:
    """Assert that a model computes `TWO`."""
    results = model.run([x, b], outputs)
    assert len(results) == 2
    for result, expected_result in zip(results, expected(x, b), strict=True):
        assert (result.dtype, result.shape) == (expected_result.dtype, expected_result.shape)
        np.testing.assert_array_equal(result, expected_result)
