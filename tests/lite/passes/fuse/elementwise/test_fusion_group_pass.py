"""Elementwise ops next to each other become one op."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.graph import Graph
from lite.ir.text import parse_graph, print_graph
from lite.ir.types import HOST, DType, Place
from lite.passes.base import PassContext
from lite.passes.manager import PassManager
from tests.lite.passes.check import constants_of, run_pass
from tests.lite.passes.fuse.equal import feeds_of
from tests.support.interpreter.tensors import run_graph
from tests.support.small_programs import make_program

PASS = "fusion_group_pass"

PLACES = (Place("cpu"), Place(HOST))


def fused(text: str) -> Graph:
    """The graph after the pass, which keeps the results and changes nothing in a second run."""
    graph = parse_graph(text)
    feeds, unchanged = feeds_of(graph), print_graph(graph)
    before = run_graph(graph, feeds)
    changed = run_pass(PASS, graph, PassContext(valid_places=PLACES))
    assert changed == (print_graph(graph) != unchanged)
    for name, result in run_graph(graph, feeds).items():
        np.testing.assert_allclose(result, before[name], rtol=1e-6, atol=1e-6)
    assert not run_pass(PASS, graph, PassContext(valid_places=PLACES))
    return graph


def check(before: str, after: str) -> None:
    assert print_graph(fused(before)) == print_graph(parse_graph(after))


def check_unchanged(text: str) -> None:
    check(text, text)


def programs(text: str) -> list[str]:
    return [str(node.attrs["program"]) for node in fused(text) if node.op == "fusion_group"]


def test_a_chain_becomes_one_group() -> None:
    check(
        """
        graph main(%x: float32[2,3], %w: float32[3]) {
          %a = elementwise_mul(X=%x, Y=%w) : float32[2,3]
          %s = sigmoid(X=%a) : float32[2,3]
          %y = elementwise_sub(X=%a, Y=%s) : float32[2,3]
          return %y
        }
        """,
        """
        graph main(%x: float32[2,3], %w: float32[3]) {
          %y = fusion_group(X=%x, Inputs=%w) {ATTRS} : float32[2,3]
          return %y
        }
        """.replace("ATTRS", 'program="elementwise_mul 0 1; sigmoid 2; elementwise_sub 2 3", results=[4]'),
    )


def test_values_that_are_read_elsewhere_are_outputs_and_results_end_groups() -> None:
    check(
        """
        graph main(%x: float32[2,3]) {
          %a = exp(X=%x) : float32[2,3]
          %b = relu(X=%a) : float32[2,3]
          %c = tanh(X=%b) : float32[2,3]
          %s = softmax(X=%b) : float32[2,3]
          return %c, %s, %a
        }
        """,
        """
        graph main(%x: float32[2,3]) {
          %a = exp(X=%x) : float32[2,3]
          %b, %c = fusion_group(X=%a) {ATTRS} : float32[2,3], float32[2,3]
          %s = softmax(X=%b) : float32[2,3]
          return %c, %s, %a
        }
        """.replace("ATTRS", 'program="relu 0; tanh 1", results=[1, 2]'),
    )


def test_other_ops_between_keep_their_order() -> None:
    graph = fused(
        """
        graph main(%x: float32[2,3], %z: float32[2,3]) {
          %a = exp(X=%x) : float32[2,3]
          %m = softmax(X=%a) : float32[2,3]
          %n = softmax(X=%z) : float32[2,3]
          %b = elementwise_add(X=%a, Y=%n) : float32[2,3]
          %c = elementwise_mul(X=%b, Y=%m) : float32[2,3]
          %d = relu(X=%c) : float32[2,3]
          return %d
        }
        """
    )
    assert [node.op for node in graph] == ["softmax", "fusion_group", "softmax", "fusion_group"]


def test_no_path_leaves_and_enters_a_group() -> None:
    graph = fused(
        """
        graph main(%x: float32[2,3]) {
          %a = exp(X=%x) : float32[2,3]
          %b = softmax(X=%a) : float32[2,3]
          %c = elementwise_add(X=%a, Y=%b) : float32[2,3]
          %d = relu(X=%c) : float32[2,3]
          return %d
        }
        """
    )
    assert [node.op for node in graph] == ["exp", "softmax", "fusion_group"]


def test_groups_do_not_wait_for_each_other() -> None:
    text = """
        graph main(%x: float32[2,3], %z: float32[4]) {
          %a = exp(X=%x) : float32[2,3]
          %p = relu(X=%z) : float32[4]
          %b = reduce_sum(X=%a) {dim=[0, 1]} : float32[]
          %q = elementwise_add(X=%p, Y=%b) : float32[4]
          %r = reduce_sum(X=%p) {dim=[0]} : float32[]
          %c = elementwise_add(X=%a, Y=%r) : float32[2,3]
          return %c, %q
        }
        """
    assert programs(text) == []


def test_a_group_waits_for_its_readers() -> None:
    text = """
        graph main(%x: float32[2,3], %z: float32[2,3]) {
          %a = exp(X=%x) : float32[2,3]
          %m = relu(X=%z) : float32[2,3]
          %n = softmax(X=%m) : float32[2,3]
          %b = elementwise_add(X=%n, Y=%a) : float32[2,3]
          return %b
        }
        """
    assert programs(text) == ["exp 1; elementwise_add 0 2"]


@pytest.mark.parametrize(
    ("op", "program"),
    [
        ("scale(X=%a) {scale=2.0, bias=1.0}", "scale 1 2.0 1.0"),
        (
            "scale(X=%a) {scale=2.0, bias=1.0, bias_after_scale=false}",
            "scale 1 1.0 1.0; scale 2 2.0 0.0",
        ),
        (
            'scale(X=%a) {scale=2.0, activation="elu", activation_params=[0.5], scale1=3.0, bias1=1.0}',
            "scale 1 2.0 0.0; elu 2 0.5; scale 3 3.0 1.0",
        ),
        ("elementwise_mul(X=%a, Y=%x) {scale=2.0, bias=1.0}", "elementwise_mul 1 0; scale 2 2.0 1.0"),
        (
            'fusion_elementwise_add_activation(X=%a, Y=%x) {activation="relu6", activation_params=[3.0]}',
            "elementwise_add 1 0; relu6 2 3.0",
        ),
        ("clip(X=%a) {min=-1.0, max=1.0}", "clip 1 -1.0 1.0"),
        ("gelu(X=%a) {approximate=true}", "gelu 1 1.0"),
        ("pow(X=%a) {factor=2.0}", "square 1"),
        ("pow(X=%a) {factor=-0.5}", "rsqrt 1"),
    ],
)
def test_ops_are_encoded_in_the_program(op: str, program: str) -> None:
    text = f"""
        graph main(%x: float32[2,3]) {{
          %a = exp(X=%x) : float32[2,3]
          %b = {op} : float32[2,3]
          return %b
        }}
        """
    assert programs(text) == [f"exp 0; {program}"]


def test_a_power_with_a_constant_exponent_is_grouped() -> None:
    text = """
        graph main(%x: float32[2,3]) {
          %c = const float32[1] [2.0]
          %a = elementwise_pow(X=%x, Y=%c) : float32[2,3]
          %b = sqrt(X=%a) : float32[2,3]
          return %b
        }
        """
    graph = fused(text)
    assert [node.attrs["program"] for node in graph] == ["square 0; sqrt 1"]
    assert not graph.constants


def test_a_constant_at_another_axis_gets_its_shape() -> None:
    graph = fused(
        """
        graph main(%x: float32[2,3,4,5]) {
          %c = const float32[3] [1.0, 2.0, 3.0]
          %a = elementwise_add(X=%x, Y=%c) {axis=1} : float32[2,3,4,5]
          %b = relu(X=%a) : float32[2,3,4,5]
          return %b
        }
        """
    )
    assert [array.shape for array in constants_of(graph).values()] == [(1, 3, 1, 1)]


def test_ops_of_different_sizes_are_apart_even_if_both_may_equal_an_op_between() -> None:
    graph = parse_graph(
        """
        graph main(%x: float32[2,?], %a: float32[2,4], %b: float32[2,6]) {
          %s = sqrt(X=%x) : float32[2,?]
          %r = relu(X=%s) : float32[2,?]
          %y = elementwise_add(X=%a, Y=%r) : float32[2,4]
          %z = elementwise_add(X=%b, Y=%r) : float32[2,6]
          return %y, %z
        }
        """
    )

    assert run_pass(PASS, graph, PassContext(valid_places=PLACES))

    groups = [node for node in graph if node.op == "fusion_group"]
    shapes = [{str(value.shape) for value in node.all_outputs()} for node in groups]
    assert all(not {"(2, 4)", "(2, 6)"} <= found for found in shapes)


def test_ops_of_unknown_sizes_are_grouped_if_they_cannot_broadcast_differently() -> None:
    def text(first: str, second: str) -> str:
        return f"""
            graph main(%x: float32[{first}], %z: float32[{second}]) {{
              %a = exp(X=%x) : float32[{first}]
              %b = elementwise_add(X=%z, Y=%a) : float32[{second}]
              return %b
            }}
            """

    for first, second in (("?,8", "?,8"), ("?,8", "4,8"), ("n,8", "?,8"), ("n,8", "n,8")):
        graph = parse_graph(text(first, second))
        assert run_pass(PASS, graph, PassContext(valid_places=PLACES))
    for first, second in (("1,8", "?,8"), ("n,8", "m,8"), ("8", "2,8")):
        graph = parse_graph(text(first, second))
        assert not run_pass(PASS, graph, PassContext(valid_places=PLACES))


STAYS = """
graph main(%x: float32[2,3,4,5], %v: float32[3]) {
  %a = exp(X=%x) : float32[2,3,4,5]
  %b = relu(X=%a) : float32[2,3,4,5]
  return %b
}
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("relu(X=%a)", "softmax(X=%a)"),
        ("relu(X=%a)", "pow(X=%a) {factor=3.0}"),
        ("relu(X=%a)", "elementwise_add(X=%a, Y=%v) {axis=1}"),
        ("relu(X=%a)", "elementwise_pow(X=%a, Y=%x)"),
        ("exp(X=%x) : float32[2,3,4,5]", "exp(X=%x) : float32[2,3,4,5] quant([0.5], [0], -1, int8)"),
        ("float32", "float64"),
    ],
)
def test_unsupported_ops_are_not_grouped(old: str, new: str) -> None:
    assert len(programs(STAYS)) == 1
    assert old in STAYS
    check_unchanged(STAYS.replace(old, new))


def test_integers_are_not_grouped() -> None:
    check_unchanged(
        """
        graph main(%x: int32[2]) {
          %a = elementwise_add(X=%x, Y=%x) : int32[2]
          %b = relu(X=%a) : int32[2]
          return %b
        }
        """
    )


def test_unread_ops_are_grouped_too() -> None:
    text = """
        graph main(%x: float32[2,3]) {
          %a = exp(X=%x) : float32[2,3]
          %b = relu(X=%a) : float32[2,3]
          %c = tanh(X=%a) : float32[2,3]
          return %b
        }
        """
    assert programs(text) == ["exp 0; relu 1; tanh 1"]


def test_no_group_is_made_for_the_host_alone() -> None:
    assert PassManager([PASS]).run(parse_graph(STAYS), PassContext()) == []


@pytest.mark.parametrize("target", ["host", "cpu"])
def test_a_group_is_saved_and_loaded(target: str, tmp_path: Path) -> None:
    if target == "cpu":
        pytest.importorskip("numba", reason="compiled kernels need the extra jit")
    program = make_program(
        {"x": (DType.FLOAT32, (-1, 4000)), "z": (DType.FLOAT32, (-1, 4000))},
        {},
        [
            (
                "fusion_group",
                {"X": ["x"], "Inputs": ["z"]},
                {"Out": ["a", "y"]},
                {"program": "elementwise_sub 0 1; scale 2 2.0 1e-08; sigmoid 3", "results": [2, 4]},
            ),
            ("elementwise_add", {"X": ["a"], "Y": ["y"]}, {"Out": ["sum"]}, {}),
        ],
        ["y", "sum"],
    )
    lite.save_program(program, tmp_path / "model")
    predictor = lite.create_predictor(lite.Config(tmp_path / "model", valid_places=[target]))
    x, z = np.random.default_rng(1).standard_normal((2, 3, 4000)).astype(np.float32)
    for _ in range(2):
        results = predictor.run({"x": x, "z": z})
        np.testing.assert_allclose(results["y"], 1 / (1 + np.exp(-2 * (x - z))), rtol=1e-5)
        np.testing.assert_allclose(results["sum"], results["y"] + x - z, rtol=1e-5, atol=1e-6)
