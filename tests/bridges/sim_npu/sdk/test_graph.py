"""Graphs of the SDK."""

from __future__ import annotations

import numpy as np
import pytest

from lite.bridges.sim_npu import sdk
from lite.bridges.sim_npu.sdk import limits
from tests.bridges.arrays import floats
from tests.bridges.sim_npu.sdk.program_run import execute


def test_nodes_run_in_order() -> None:
    graph = sdk.Graph()
    a, b = graph.input("a", (2, 3), "float32"), graph.input("b", (2, 3), "float32")
    (total,) = graph.add("ADD", a, b)
    (positive,) = graph.add("RELU", total)
    graph.output("positive", positive)
    graph.output("total", total)
    x, y = floats(2, 3), floats(2, 3, seed=1)

    relu, added = execute(graph, x, y)

    np.testing.assert_array_equal(added, x + y)
    np.testing.assert_array_equal(relu, np.maximum(x + y, 0))


def test_inputs_constants_and_one_tensor_twice_may_be_outputs() -> None:
    graph = sdk.Graph()
    x = graph.input("x", (3,), "float32")
    c = graph.constant("c", np.arange(3, dtype=np.int32))
    for name, tensor in {"x": x, "c": c, "again": x}.items():
        graph.output(name, tensor)

    first, constant, again = execute(graph, floats(3))

    np.testing.assert_array_equal(first, floats(3))
    np.testing.assert_array_equal(constant, [0, 1, 2])
    np.testing.assert_array_equal(again, first)


def test_the_sdk_has_thirty_operators_and_eight_on_int8() -> None:
    assert len([kind for kind in sdk.OPERATORS if kind.startswith("Q_")]) == 8
    assert len(sdk.OPERATORS) == 38


@pytest.mark.parametrize(
    ("shape", "dtype", "sentence"),
    [
        ((2,), "float64", "NPU-105 INVALID_DTYPE: element type float64 (supported: float32, int32, int8)"),
        ((), "float32", "NPU-107 LIMIT_EXCEEDED: [] has 0 axes (supported: 1 to 5)"),
        ((1,) * 6, "int32", "NPU-107 LIMIT_EXCEEDED: [1, 1, 1, 1, 1, 1] has 6 axes (supported: 1 to 5)"),
        ((2, 0), "int32", "NPU-104 INVALID_SHAPE: [2, 0]: sizes must be integers of at least 1"),
        ((2, "n"), "int32", "NPU-104 INVALID_SHAPE: [2, 'n']: sizes must be integers of at least 1"),
    ],
)
def test_tensors_beyond_the_limits_are_errors(shape: tuple[int, ...], dtype: str, sentence: str) -> None:
    with pytest.raises(sdk.NpuError) as caught:
        sdk.Graph().input("x", shape, dtype)
    assert str(caught.value) == sentence


def test_the_error_of_a_constant_names_it() -> None:
    with pytest.raises(sdk.NpuError, match=r"NPU-105 INVALID_DTYPE: constant 'w': element type int64"):
        sdk.Graph().constant("w", np.zeros(2, np.int64))


def test_errors_have_a_status() -> None:
    graph = sdk.Graph()
    x = graph.input("x", (2,), "float32")

    with pytest.raises(sdk.NpuError, match=r"NPU-101 UNKNOWN_OPERATOR: RELUX \(known: ADD, CLIP") as caught:
        graph.add("RELUX", x)
    assert caught.value.status is sdk.Status.UNKNOWN_OPERATOR
    with pytest.raises(sdk.NpuError, match="NPU-102 INVALID_ARITY: RELU takes 1 to 1 tensors, got 2"):
        graph.add("RELU", x, x)


def test_a_tensor_of_another_graph_is_an_error() -> None:
    graph, other = sdk.Graph(), sdk.Graph()
    graph.input("x", (2,), "float32")
    foreign = other.input("x", (2,), "float32")

    with pytest.raises(sdk.NpuError, match="NPU-108 FOREIGN_TENSOR: the tensor belongs to another graph"):
        graph.add("RELU", foreign)
    with pytest.raises(sdk.NpuError, match="NPU-108"):
        graph.output("y", foreign)


def test_two_inputs_or_outputs_of_one_name_are_errors() -> None:
    graph = sdk.Graph()
    x = graph.input("x", (2,), "float32")
    graph.output("y", x)

    with pytest.raises(sdk.NpuError, match="NPU-103 INVALID_ATTRIBUTE: two inputs are called 'x'"):
        graph.input("x", (2,), "float32")
    with pytest.raises(sdk.NpuError, match="NPU-103 INVALID_ATTRIBUTE: two outputs are called 'y'"):
        graph.output("y", x)


def test_too_many_inputs_outputs_or_nodes_are_errors() -> None:
    graph = sdk.Graph()
    for n in range(limits.INPUTS):
        x = graph.input(f"x{n}", (1,), "float32")
        graph.output(f"y{n}", x)
    for _ in range(limits.NODES):
        graph.add("RELU", x)

    with pytest.raises(sdk.NpuError, match="NPU-107 LIMIT_EXCEEDED: more than 64 inputs"):
        graph.input("x", (1,), "float32")
    with pytest.raises(sdk.NpuError, match="NPU-107 LIMIT_EXCEEDED: more than 64 outputs"):
        graph.output("y", x)
    with pytest.raises(sdk.NpuError, match="NPU-107 LIMIT_EXCEEDED: more than 4096 nodes"):
        graph.add("RELU", x)


def test_too_many_bytes_of_constants_are_an_error() -> None:
    graph = sdk.Graph()
    half = np.broadcast_to(np.float32(0), (limits.WEIGHT_BYTES // 4,))
    graph._weight_bytes = limits.WEIGHT_BYTES

    with pytest.raises(sdk.NpuError, match=r"NPU-107 LIMIT_EXCEEDED: 536870912 bytes of constants"):
        graph.constant("w", half)
