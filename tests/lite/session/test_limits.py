"""Small models that ask for much: refused with the name of the limit, or run in bounded memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.errors import ConfigError, ExecutionError, GraphError, ModelParseError, PassError
from lite.io.load import load_program
from lite.ir.graph import Graph
from lite.session.build import optimize
from tests.support.interrupts import count_lines

onnx = pytest.importorskip("onnx", reason="the models are ONNX models")
helper = pytest.importorskip("onnx.helper", reason="the models are ONNX models")

FLOAT, INT64, STRING = 1, 7, 8


def model(
    nodes: Sequence[Any], inputs: dict[str, tuple[int, list[Any]]], constants: dict[str, Any] | None = None
) -> bytes:
    """An ONNX model with output y."""
    infos = [helper.make_tensor_value_info(name, *info) for name, info in inputs.items()]
    initializers = [onnx.numpy_helper.from_array(v, k) for k, v in (constants or {}).items()]
    graph = helper.make_graph(nodes, "g", infos, [onnx.ValueInfoProto(name="y")], initializers)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    made.ir_version = 9
    content: bytes = made.SerializeToString()
    return content


def doublings(count: int) -> bytes:
    """A constant that is concatenated with itself again and again."""
    nodes = [helper.make_node("Concat", [f"c{n}"] * 2, [f"c{n + 1}"], axis=0) for n in range(count)]
    nodes += [helper.make_node("ReduceMax", [f"c{count}"], ["r"], keepdims=0)]
    nodes += [helper.make_node("Add", ["x", "r"], ["y"])]
    return model(nodes, {"x": (FLOAT, [1])}, {"c0": np.zeros(1, np.float32)})


def predictor(content: bytes, **options: Any) -> lite.Predictor:
    return lite.create_predictor(lite.Config(model_buffer=content, **options))


def optimised(content: bytes, **options: Any) -> Graph:
    config = lite.Config(model_buffer=content, **options)
    return optimize(load_program(config), config).graph


def test_value_with_too_many_elements_is_refused_before_it_is_computed() -> None:
    with pytest.raises(PassError, match=r"4,294,967,296 elements, the limit is 2,147,483,648; raise it by"):
        predictor(doublings(34))
    with pytest.raises(PassError, match=r"%c\d+.*: 2,048 elements, the limit is 1,024"):
        predictor(doublings(11), limits=lite.Limits(elements=1024))


def test_folding_stops_at_its_limit_and_the_ops_run() -> None:
    x = np.ones(1, np.float32)
    for folded_bytes in (1, 100, 1 << 28):
        made = predictor(doublings(20), limits=lite.Limits(folded_bytes=folded_bytes))
        np.testing.assert_array_equal(made.run({"x": x})["y"], x)


def test_constant_that_an_op_reads_twice_does_not_double_the_limit_of_folding() -> None:
    graph = optimised(doublings(24), valid_places=["host"])
    graph_bytes = sum(value.data.nbytes for value in graph.constants.values() if value.data is not None)
    assert graph_bytes <= 2 << 24


def test_nodes_and_nesting_are_limited() -> None:
    content = model(
        [helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Neg", ["a"], ["y"])], {"x": (FLOAT, [2])}
    )
    with pytest.raises(GraphError, match=r"the model: \d nodes, the limit is 1; raise it by Config\(limits="):
        predictor(content, limits=lite.Limits(nodes=1))

    def nested(depth: int) -> Any:
        body = (
            [helper.make_node("If", ["b"], ["o"], then_branch=nested(depth - 1), else_branch=nested(0))]
            if depth
            else [helper.make_node("Neg", ["x"], ["o"])]
        )
        return helper.make_graph(body, f"g{depth}", [], [helper.make_tensor_value_info("o", FLOAT, [2])])

    outer = helper.make_node("If", ["b"], ["y"], then_branch=nested(3), else_branch=nested(0))
    content = model([outer], {"x": (FLOAT, [2]), "b": (9, [])})
    predictor(content)
    with pytest.raises(GraphError, match=r"the model: 5 nesting, the limit is 3"):
        predictor(content, limits=lite.Limits(nesting=3))


def test_time_of_passes_is_limited() -> None:
    with pytest.raises(GraphError, match=r"the time for all passes up to \w+: .* plan_seconds, the limit is"):
        predictor(doublings(3), limits=lite.Limits(plan_seconds=1e-9))


def test_iterations_of_a_loop_are_limited() -> None:
    body = helper.make_graph(
        [helper.make_node("Identity", ["c"], ["d"]), helper.make_node("Neg", ["s"], ["t"])],
        "body",
        [
            helper.make_tensor_value_info(*each)
            for each in (("i", INT64, []), ("c", 9, []), ("s", FLOAT, [2]))
        ],
        [helper.make_tensor_value_info(*each) for each in (("d", 9, []), ("t", FLOAT, [2]))],
    )
    content = model(
        [helper.make_node("Loop", ["n", "", "x"], ["y"], body=body)], {"n": (INT64, []), "x": (FLOAT, [2])}
    )
    feeds = {"n": np.array(5), "x": np.ones(2, np.float32)}
    np.testing.assert_array_equal(predictor(content).run(feeds)["y"], [-1, -1])
    with pytest.raises(ExecutionError, match=r"a loop did not end after 4 iterations"):
        predictor(content, limits=lite.Limits(iterations=4)).run(feeds)


@pytest.mark.parametrize("limits", [{"nodes": 0}, {"elements": 1.5}, {"plan_seconds": -1}, {"nesting": True}])
def test_limits_are_positive_numbers(limits: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"limits: {next(iter(limits))}: expected a positive number"):
        lite.Limits(**limits)
    with pytest.raises(ConfigError, match=r"limits: expected a lite\.Limits"):
        lite.Config("x", limits=5)  # type: ignore[arg-type]


def test_elements_of_a_value_are_limited_when_inputs_give_its_size() -> None:
    limits = lite.Limits(elements=1000)
    repeats = {"r": np.array([300], np.int64)}
    content = model([helper.make_node("Tile", ["x", "r"], ["y"])], {"x": (FLOAT, ["n"])}, repeats)
    made = predictor(content, limits=limits)
    assert made.run({"x": np.ones(3, np.float32)})["y"].shape == (900,)
    with pytest.raises(GraphError, match=r"tile -> y.*y: 1,200 elements, the limit is 1,000; raise it by"):
        made.run({"x": np.ones(4, np.float32)})

    # The size of the first result depends on data, and the second is bound after it.
    nodes = [
        helper.make_node("NonZero", ["x"], ["i"]),
        helper.make_node("Tile", ["i", "r"], ["y"]),
    ]
    made = predictor(model(nodes, {"x": (FLOAT, ["n"])}, {"r": np.array([1, 300], np.int64)}), limits=limits)
    assert made.run({"x": np.ones(3, np.float32)})["y"].shape == (1, 900)
    with pytest.raises(GraphError, match=r"1,200 elements, the limit is 1,000"):
        made.run({"x": np.ones(4, np.float32)})


SIZED_BY_ELEMENTS: dict[str, tuple[list[Any], dict[str, tuple[int, list[Any]]], dict[str, Any], Any]] = {
    "ConstantOfShape": (["n"], {"n": (INT64, [1])}, {}, [0]),
    "Range": (["z", "n", "o"], {"n": (INT64, [])}, {"z": np.array(0), "o": np.array(1)}, 0),
    "Expand": (["x", "n"], {"x": (FLOAT, [1]), "n": (INT64, [1])}, {}, [0]),
    "Tile": (["x", "n"], {"x": (FLOAT, [1]), "n": (INT64, [1])}, {}, [0]),
    "OneHot": (
        ["i", "n", "v"],
        {"n": (INT64, [])},
        {"i": np.array([1]), "v": np.array([0, 1], np.float32)},
        0,
    ),
    "Pad": (["x", "n"], {"x": (FLOAT, [1]), "n": (INT64, [2])}, {}, [0, -1]),
    "HannWindow": (["n"], {"n": (INT64, [])}, {}, 0),
    "DFT": (["s", "n"], {"n": (INT64, [])}, {"s": np.ones((1, 4, 1), np.float32)}, 0),
}
"""Inputs of an op, those that are fed, constants, and what is added to 500 or 5000 for input n."""


@pytest.mark.parametrize("op", SIZED_BY_ELEMENTS)
@pytest.mark.parametrize("places", [None, ["host"]], ids=["cpu", "host"])
def test_elements_of_a_value_are_limited_when_elements_give_its_size(
    op: str, places: list[str] | None
) -> None:
    names, inputs, constants, offset = SIZED_BY_ELEMENTS[op]
    content = model([helper.make_node(op, names, ["y"])], inputs, constants)
    made = predictor(content, limits=lite.Limits(elements=1000), valid_places=places)
    feeds = {name: np.ones(1, np.float32) for name in inputs if name == "x"}
    assert made.run({**feeds, "n": np.array(offset) + 500})["y"].size <= 1000
    with pytest.raises(GraphError, match=r"y: \d+,\d+ elements, the limit is 1,000; raise it by"):
        made.run({**feeds, "n": np.array(offset) + 5000})


@pytest.mark.parametrize("places", [None, ["host"]], ids=["cpu", "host"])
def test_values_without_elements_take_no_time_for_their_other_sizes(places: list[str] | None) -> None:
    nodes = [
        helper.make_node("ConstantOfShape", ["n"], ["x"]),
        helper.make_node("Resize", ["x", "", "s"], ["y"], mode="linear"),
    ]
    scales = {"s": np.array([1, 1, 2, 2], np.float32)}
    made = predictor(model(nodes, {"n": (INT64, [4])}, scales), valid_places=places)
    assert made.run({"n": np.array([1 << 40, 0, 4, 4])})["y"].shape == (1 << 40, 0, 8, 8)

    nodes = [nodes[0], helper.make_node("Unique", ["x"], ["y"], axis=0)]
    made = predictor(model(nodes, {"n": (INT64, [2])}), valid_places=places)
    assert made.run({"n": np.array([3, 0])})["y"].shape == (1, 0)
    with pytest.raises(ExecutionError, match="at most 1,048,576 slices without elements"):
        made.run({"n": np.array([1 << 40, 0])})


def test_axes_of_a_declared_size_do_not_allocate_memory() -> None:
    node = helper.make_node("ReduceSum", ["x", "a"], ["y"])
    with pytest.raises(GraphError, match="at most 65536 numbers, got 1000000000"):
        predictor(model([node], {"x": (FLOAT, [2, 3]), "a": (INT64, [10**9])}))


def test_long_chain_of_elementwise_ops_becomes_several_groups() -> None:
    ops = ["Relu", "Neg", "Sigmoid", "Tanh", "Exp", "Abs"]
    names = ["x", *(f"v{n}" for n in range(299)), "y"]
    nodes = [helper.make_node(ops[n * 7 % 6], [names[n]], [names[n + 1]]) for n in range(300)]
    content = model(nodes, {"x": (FLOAT, [16])})
    made = predictor(content)
    groups = [node for node in optimised(content) if node.op == "fusion_group"]
    sizes = [str(node.attrs["program"]).count(";") + 1 for node in groups]
    assert len(sizes) > 1
    assert max(sizes) <= 96
    x = np.linspace(-1, 1, 16, dtype=np.float32)
    expected = predictor(content, valid_places=["host"]).run({"x": x})["y"]
    np.testing.assert_allclose(made.run({"x": x})["y"], expected, rtol=1e-4, atol=1e-5)


def test_wide_concat_of_equal_ops_is_optimised_in_linear_time() -> None:
    def lines(count: int) -> int:
        nodes = [helper.make_node("Exp", ["x"], [f"e{n}"]) for n in range(count)]
        nodes += [helper.make_node("Concat", [f"e{n}" for n in range(count)], ["y"], axis=0)]
        content = model(nodes, {"x": (FLOAT, [1])})
        passes = ["common_subexpression_elimination_pass", "generate_program_pass"]
        return count_lines(lambda: predictor(content, valid_places=["host"], passes=passes))

    lines(10)
    # Linear is 8 times, quadratic 64.
    assert lines(1600) < 12 * lines(200)


@pytest.mark.parametrize("name", ["model.onnx", "model.pnnx.param"])
def test_pipes_and_devices_are_no_model_files(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / name)
    (tmp_path / "zero.onnx").symlink_to("/dev/zero")
    for path in (tmp_path / name, tmp_path / "zero.onnx"):
        with pytest.raises((ModelParseError, ConfigError), match=r"not a regular file|recognise|format"):
            lite.create_predictor(lite.Config(model_file=path))


def test_a_pipe_holds_no_weights(tmp_path: Path) -> None:
    made = onnx.load_model_from_string(
        model(
            [helper.make_node("Add", ["x", "w"], ["y"])], {"x": (FLOAT, [64])}, {"w": np.ones(64, np.float32)}
        )
    )
    path = tmp_path / "m.onnx"
    onnx.save(made, path, save_as_external_data=True, location="w.bin", size_threshold=0)
    lite.create_predictor(lite.Config(path))
    (tmp_path / "w.bin").unlink()
    os.mkfifo(tmp_path / "w.bin")
    with pytest.raises(ModelParseError, match="not a regular file"):
        lite.create_predictor(lite.Config(path))


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "a*" * 12 + "b", r"(a)\1"])
def test_regular_expression_that_may_not_end_is_refused(pattern: str) -> None:
    node = helper.make_node("RegexFullMatch", ["x"], ["y"], pattern=pattern)
    made = predictor(model([node], {"x": (STRING, [1])}))
    with pytest.raises(ExecutionError, match=r"limit is|RE2 does not have"):
        made.run({"x": np.array(["a" * 32 + "c"], object)})
