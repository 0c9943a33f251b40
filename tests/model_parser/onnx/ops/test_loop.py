"""Loop, with values of the graph around it."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from tests.model_parser.onnx.control_models import info, model_of
from tests.model_parser.onnx.node_models import run

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def _loop(shape: list[int]) -> onnx.ModelProto:
    """Adds `step` of the outer graph to a; swaps a and b; goes on while the sum is below 20."""
    body = helper.make_graph(
        [
            helper.make_node("Add", ["a", "step"], ["next"]),
            helper.make_node("ReduceSum", ["next"], ["sum"], keepdims=0),
            helper.make_node("Less", ["sum", "limit"], ["again"]),
        ],
        "body",
        [info("i", INT64, []), info("c", BOOL, []), info("a", FLOAT, shape), info("b", FLOAT, shape)],
        [
            info("again", BOOL, []),
            info("b", FLOAT, shape),
            info("next", FLOAT, shape),
            info("sum", FLOAT, []),
        ],
    )
    node = helper.make_node("Loop", ["m", "", "x", "y"], ["p", "q", "sums"], body=body)
    inputs = [info("m", INT64, []), info("x", FLOAT, shape), info("y", FLOAT, shape)]
    inputs += [info("step", FLOAT, [1]), info("limit", FLOAT, [])]
    return model_of([node], inputs, ["p", "q", "sums"])


@pytest.mark.parametrize("turns", [0, 1, 3, 100])
def test_loop(turns: int) -> None:
    a, b, step = np.array([1, 2], np.float32), np.array([3, 4], np.float32), np.array([1], np.float32)
    fed = {"m": np.array(turns), "x": a, "y": b, "step": step, "limit": np.array(20, np.float32)}

    found = run(_loop([2]), fed)

    sums: list[float] = []
    for _ in range(turns):
        a, b = b, a + step
        sums.append(float(b.sum()))
        if sums[-1] >= 20:
            break
    np.testing.assert_array_equal(found["p"], a)
    np.testing.assert_array_equal(found["q"], b)
    np.testing.assert_array_equal(found["sums"], np.array(sums, np.float32))
