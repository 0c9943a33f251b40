"""If, Loop and Scan, with values of the enclosing graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import check_against_onnxruntime, model_of_nodes, run, value_info

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def branch_graph(op: str, name: str) -> onnx.GraphProto:
    """A branch with the result r: both branches use the same name."""
    return helper.make_graph(
        [helper.make_node(op, ["x", "y"], ["r"])], name, [], [value_info("r", FLOAT, None)]
    )


@pytest.mark.parametrize("condition", [True, False])
def test_if_runs_one_branch(condition: bool) -> None:
    node = helper.make_node(
        "If", ["c"], ["z"], then_branch=branch_graph("Add", "then"), else_branch=branch_graph("Mul", "else")
    )
    model = model_of_nodes(
        [node], [value_info("c", BOOL, []), value_info("x", FLOAT, [2]), value_info("y", FLOAT, [2])], ["z"]
    )
    x, y = np.array([1, 2], np.float32), np.array([5, 7], np.float32)

    output = run(model, {"c": np.array(condition), "x": x, "y": y})["z"]

    np.testing.assert_array_equal(output, x + y if condition else x * y)


def loop_model(shape: list[int]) -> onnx.ModelProto:
    """A loop that adds `step` of the outer graph to a, swaps a and b, and stops at a sum of 20."""
    body = helper.make_graph(
        [
            helper.make_node("Add", ["a", "step"], ["next"]),
            helper.make_node("ReduceSum", ["next"], ["sum"], keepdims=0),
            helper.make_node("Less", ["sum", "limit"], ["again"]),
        ],
        "body",
        [
            value_info("i", INT64, []),
            value_info("c", BOOL, []),
            value_info("a", FLOAT, shape),
            value_info("b", FLOAT, shape),
        ],
        [
            value_info("again", BOOL, []),
            value_info("b", FLOAT, shape),
            value_info("next", FLOAT, shape),
            value_info("sum", FLOAT, []),
        ],
    )
    node = helper.make_node("Loop", ["m", "", "x", "y"], ["p", "q", "sums"], body=body)
    inputs = [value_info("m", INT64, []), value_info("x", FLOAT, shape), value_info("y", FLOAT, shape)]
    inputs += [value_info("step", FLOAT, [1]), value_info("limit", FLOAT, [])]
    return model_of_nodes([node], inputs, ["p", "q", "sums"])


@pytest.mark.parametrize("iterations", [0, 1, 3, 100])
def test_loop_stops_by_count_or_condition(iterations: int) -> None:
    a, b, step = np.array([1, 2], np.float32), np.array([3, 4], np.float32), np.array([1], np.float32)
    feeds = {"m": np.array(iterations), "x": a, "y": b, "step": step, "limit": np.array(20, np.float32)}

    outputs = run(loop_model([2]), feeds)

    sums: list[float] = []
    for _ in range(iterations):
        a, b = b, a + step
        sums.append(float(b.sum()))
        if sums[-1] >= 20:
            break
    np.testing.assert_array_equal(outputs["p"], a)
    np.testing.assert_array_equal(outputs["q"], b)
    np.testing.assert_array_equal(outputs["sums"], np.array(sums, np.float32))


def test_sizes_that_a_body_declares_for_one_run_do_not_bind_others() -> None:
    """Softmax of opset 8 restores the shape that it flattened."""
    arguments = [value_info("i", INT64, []), value_info("c", BOOL, []), value_info("a", FLOAT, [2, 3, 2])]
    nodes = [helper.make_node("Softmax", ["a"], ["b"]), helper.make_node("Identity", ["c"], ["d"])]
    results = [value_info("d", BOOL, []), value_info("b", FLOAT, None)]
    body = helper.make_graph(nodes, "body", arguments, results)
    loop = helper.make_node("Loop", ["m", "", "x"], ["y"], body=body)
    inputs = [value_info("m", INT64, []), value_info("x", FLOAT, None)]
    model = model_of_nodes([loop], inputs, ["y"], opset=8)
    x, count = np.random.default_rng(3).standard_normal((2, 3, 6)).astype(np.float32), np.array(2)

    check_against_onnxruntime(model, {"m": count, "x": x}, {"m": count, "x": x[:, :, :2]})


def scan_model(opset: int, **attrs: Any) -> onnx.ModelProto:
    body = helper.make_graph(
        [helper.make_node("Add", ["s", "x"], ["t"]), helper.make_node("Identity", ["t"], ["u"])],
        "body",
        [value_info("s", FLOAT, [2]), value_info("x", FLOAT, [2])],
        [value_info("t", FLOAT, [2]), value_info("u", FLOAT, [2])],
    )
    node = helper.make_node("Scan", ["s0", "xs"], ["last", "all"], body=body, num_scan_inputs=1, **attrs)
    return model_of_nodes(
        [node], [value_info("s0", FLOAT, [2]), value_info("xs", FLOAT, [2, 3])], ["last", "all"], opset
    )


@pytest.mark.parametrize("scanned", [-1, 0, 3, 2**62])
def test_scan_with_an_impossible_number_of_scanned_inputs_is_refused(scanned: int) -> None:
    model = scan_model(17)
    [attribute] = [each for each in model.graph.node[0].attribute if each.name == "num_scan_inputs"]
    attribute.i = scanned
    with pytest.raises(ModelParseError, match=f"num_scan_inputs is {scanned}, expected 1 to the 2 inputs"):
        run(model, {})


@pytest.mark.parametrize("reverse", [0, 1])
def test_scan_over_an_axis_in_both_directions(reverse: int) -> None:
    start, rows = np.array([1, 2], np.float32), np.arange(6, dtype=np.float32).reshape(2, 3)
    model = scan_model(
        17,
        scan_input_axes=[1],
        scan_output_axes=[-1],
        scan_input_directions=[reverse],
        scan_output_directions=[reverse],
    )

    outputs = run(model, {"s0": start, "xs": rows})

    columns: list[Array] = list(rows.T)
    sums = start + np.cumsum(columns[::-1] if reverse else columns, axis=0)
    np.testing.assert_array_equal(outputs["last"], sums[-1])
    np.testing.assert_array_equal(outputs["all"], (sums[::-1] if reverse else sums).T)


def batched_scan_model(lengths: bool, **attrs: Any) -> onnx.ModelProto:
    """The form of opset 8: states and scanned inputs begin with a batch axis."""
    body = helper.make_graph(
        [helper.make_node("Add", ["s", "x"], ["t"]), helper.make_node("Mul", ["t", "k"], ["u"])],
        "body",
        [value_info("s", FLOAT, [3]), value_info("x", FLOAT, [3])],
        [value_info("t", FLOAT, [3]), value_info("u", FLOAT, [3])],
    )
    names = ["lengths" if lengths else "", "s0", "xs"]
    node = helper.make_node("Scan", names, ["last", "all"], body=body, num_scan_inputs=1, **attrs)
    inputs = [value_info("s0", FLOAT, [2, 3]), value_info("xs", FLOAT, [2, 4, 3]), value_info("k", FLOAT, [])]
    inputs += [value_info("lengths", INT64, [2])] if lengths else []
    return model_of_nodes([node], inputs, ["last", "all"], 8)


@pytest.mark.parametrize("reverse", [None, 0, 1])
def test_scan_of_opset_8_has_a_batch_axis(reverse: int | None) -> None:
    source = np.random.default_rng(0)
    start, rows = (
        source.normal(size=(2, 3)).astype(np.float32),
        source.normal(size=(2, 4, 3)).astype(np.float32),
    )
    model = batched_scan_model(False, **({} if reverse is None else {"directions": [reverse]}))

    outputs = run(model, {"s0": start, "xs": rows, "k": np.array(2, np.float32)})

    sums = start[:, None] + np.cumsum(rows[:, ::-1] if reverse else rows, axis=1)
    np.testing.assert_allclose(outputs["last"], sums[:, -1], rtol=1e-6)
    np.testing.assert_allclose(outputs["all"], 2 * sums, rtol=1e-6)


def test_scan_with_sequence_lens_is_refused() -> None:
    with pytest.raises(ModelParseError, match=r"\(Scan\): sequence_lens is not supported; convert the model"):
        run(batched_scan_model(True), {})
