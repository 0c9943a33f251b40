"""If, Loop and Scan, with values of the graph around them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import run

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def _info(name: str, kind: int, shape: list[int] | None) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def _model(
    nodes: list[onnx.NodeProto], inputs: list[onnx.ValueInfoProto], outputs: list[str], opset: int = 17
) -> onnx.ModelProto:
    results = [onnx.ValueInfoProto(name=name) for name in outputs]
    graph = helper.make_graph(nodes, "graph", inputs, results)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def _branch(op: str, name: str) -> onnx.GraphProto:
    """Both branches call their result the same."""
    return helper.make_graph([helper.make_node(op, ["x", "y"], ["r"])], name, [], [_info("r", FLOAT, None)])


@pytest.mark.parametrize("condition", [True, False])
def test_if(condition: bool) -> None:
    node = helper.make_node(
        "If", ["c"], ["z"], then_branch=_branch("Add", "then"), else_branch=_branch("Mul", "else")
    )
    model = _model([node], [_info("c", BOOL, []), _info("x", FLOAT, [2]), _info("y", FLOAT, [2])], ["z"])
    x, y = np.array([1, 2], np.float32), np.array([5, 7], np.float32)

    found = run(model, {"c": np.array(condition), "x": x, "y": y})["z"]

    np.testing.assert_array_equal(found, x + y if condition else x * y)


def _loop(shape: list[int]) -> onnx.ModelProto:
    """Adds `step` of the outer graph to a; swaps a and b; goes on while the sum is below 20."""
    body = helper.make_graph(
        [
            helper.make_node("Add", ["a", "step"], ["next"]),
            helper.make_node("ReduceSum", ["next"], ["sum"], keepdims=0),
            helper.make_node("Less", ["sum", "limit"], ["again"]),
        ],
        "body",
        [_info("i", INT64, []), _info("c", BOOL, []), _info("a", FLOAT, shape), _info("b", FLOAT, shape)],
        [
            _info("again", BOOL, []),
            _info("b", FLOAT, shape),
            _info("next", FLOAT, shape),
            _info("sum", FLOAT, []),
        ],
    )
    node = helper.make_node("Loop", ["m", "", "x", "y"], ["p", "q", "sums"], body=body)
    inputs = [_info("m", INT64, []), _info("x", FLOAT, shape), _info("y", FLOAT, shape)]
    inputs += [_info("step", FLOAT, [1]), _info("limit", FLOAT, [])]
    return _model([node], inputs, ["p", "q", "sums"])


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


def _scan(opset: int, **attrs: Any) -> onnx.ModelProto:
    body = helper.make_graph(
        [helper.make_node("Add", ["s", "x"], ["t"]), helper.make_node("Identity", ["t"], ["u"])],
        "body",
        [_info("s", FLOAT, [2]), _info("x", FLOAT, [2])],
        [_info("t", FLOAT, [2]), _info("u", FLOAT, [2])],
    )
    node = helper.make_node("Scan", ["s0", "xs"], ["last", "all"], body=body, num_scan_inputs=1, **attrs)
    return _model([node], [_info("s0", FLOAT, [2]), _info("xs", FLOAT, [2, 3])], ["last", "all"], opset)


@pytest.mark.parametrize("backward", [0, 1])
def test_scan(backward: int) -> None:
    start, rows = np.array([1, 2], np.float32), np.arange(6, dtype=np.float32).reshape(2, 3)
    model = _scan(
        17,
        scan_input_axes=[1],
        scan_output_axes=[-1],
        scan_input_directions=[backward],
        scan_output_directions=[backward],
    )

    found = run(model, {"s0": start, "xs": rows})

    columns: list[Array] = list(rows.T)
    sums = start + np.cumsum(columns[::-1] if backward else columns, axis=0)
    np.testing.assert_array_equal(found["last"], sums[-1])
    np.testing.assert_array_equal(found["all"], (sums[::-1] if backward else sums).T)


def test_scan_with_a_batch_is_refused() -> None:
    with pytest.raises(ModelParseError, match="the Scan of opset 8 is not supported"):
        run(_scan(8), {})
