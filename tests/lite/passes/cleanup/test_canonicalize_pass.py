"""One spelling per meaning."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import PassError
from lite.ir.text import parse_graph
from tests.lite.passes.check import check, check_unchanged, run_pass
from tests.lite.passes.run_graph import run_graph

PASS = "canonicalize_pass"
FUSED = ", ".join(
    f"fused_{what}_{slot}=[]" for what in ("reshape", "transpose") for slot in ("X", "Y", "Out")
)


def test_an_old_spelling_with_a_constant_shape() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[6]) {
          %shape = const int32[2] [2, 3]
          %y = reshape(X=%x, Shape=%shape) {shape=[6]} : float32[2,3]
          return %y
        }
        """,
        """
        graph main(%x: float32[6]) {
          %y = reshape2(X=%x) {shape=[2, 3]} : float32[2,3]
          return %y
        }
        """,
    )


def test_a_shape_that_is_computed_stays_and_is_read() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[6], %s: int32[1]) {
          %three = const int32[1] [3]
          %y, XShape=%xs = reshape2(X=%x, ShapeTensor=[%s, %three]) {shape=[-1, 3], use_quantizer=false}
          return %y
        }
        """,
        """
        graph main(%x: float32[6], %s: int32[1]) {
          %three = const int32[1] [3]
          %y = reshape2(X=%x, ShapeTensor=[%s, %three]) {shape=[-1, 3]}
          return %y
        }
        """,
    )


def test_a_list_of_constants_becomes_one_attribute() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[6]) {
          %two = const int32[1] [2]
          %three = const int32[1] [3]
          %y = reshape2(X=%x, ShapeTensor=[%two, %three]) {shape=[0]}
          return %y
        }
        """,
        """
        graph main(%x: float32[6]) {
          %y = reshape2(X=%x) {shape=[2, 3]}
          return %y
        }
        """,
    )


def test_two_slots_for_one_attribute_stay() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%x: float32[6]) {
          %a = const int32[2] [2, 3]
          %b = const int32[1] [6]
          %y = reshape2(X=%x, Shape=%a, ShapeTensor=%b) {shape=[0]}
          return %y
        }
        """,
    )


def test_one_number_for_a_single_attribute_and_no_other_count() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2,2]) {
          %axis = const int32[1] [1]
          %two = const int32[2] [0, 1]
          %y = concat(X=[%x, %x], AxisTensor=%axis) {axis=0}
          %z = concat(X=[%x, %x], AxisTensor=%two) {axis=0}
          return %y, %z
        }
        """,
        """
        graph main(%x: float32[2,2]) {
          %two = const int32[2] [0, 1]
          %y = concat(X=[%x, %x]) {axis=1}
          %z = concat(X=[%x, %x], AxisTensor=%two) {axis=0}
          return %y, %z
        }
        """,
    )


def test_optional_outputs_stay_while_somebody_reads_them() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%x: float32[6]) {
          %y, XShape=%s = reshape2(X=%x) {shape=[2, 3]}
          return %y, %s
        }
        """,
    )


def test_attributes_are_those_of_the_schema_with_defaults_and_types() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[6]) {
          %a = relu6(X=%x) {use_mkldnn=false}
          %y = leaky_relu(X=%a) {alpha=1}
          return %y
        }
        """,
        """
        graph main(%x: float32[6]) {
          %a = relu6(X=%x) {threshold=6.0}
          %y = leaky_relu(X=%a) {alpha=1.0}
          return %y
        }
        """,
    )


def test_unknown_ops_stay() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%x: float32[6]) {
          %y = no_such_op(X=%x) {some=1}
          return %y
        }
        """,
    )


def test_wrong_attributes_are_an_error() -> None:
    graph = parse_graph('graph main(%x: float32[6]) { %y = relu6(X=%x) {threshold="high"} return %y }')

    with pytest.raises(PassError, match="relu6: attribute threshold: expected FLOAT, got 'high'"):
        run_pass(PASS, graph)


def test_effects_are_marked_through_levels() -> None:
    graph = parse_graph(
        """
        graph main(%c: bool[1], %x: float32[2]) {
          %y = relu(X=%x) effect
          conditional_block(Cond=%c, Input=%x) {carried=0}
            graph block1(%x: float32[2]) {
              %p = print(In=%x)
              return
            }
          return %y
        }
        """
    )

    assert run_pass(PASS, graph)

    assert [(node.op, node.effect) for each in graph.walk() for node in each] == [
        ("relu", False),
        ("conditional_block", True),
        ("print", True),
    ]


def test_matmul_is_matmul_v2() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2,3], %y: float32[2,3]) {
          %z = matmul(X=%x, Y=%y) {transpose_X=false, transpose_Y=true, alpha=1.0}
          return %z
        }
        """,
        f"""
        graph main(%x: float32[2,3], %y: float32[2,3]) {{
          %z = matmul_v2(X=%x, Y=%y) {{trans_x=false, trans_y=true, {FUSED}}}
          return %z
        }}
        """,
    )


def test_alpha_of_matmul_is_a_scale() -> None:
    text = """
        graph main(%x: float32[3,2], %y: float32[3,4]) {
          %z = matmul(X=%x, Y=%y) {transpose_X=true, alpha=0.5} : float32[2,4]
          return %z
        }
        """
    graph = parse_graph(text)
    feeds = {"x": np.arange(6, dtype=np.float32).reshape(3, 2), "y": np.ones((3, 4), np.float32)}

    assert run_pass(PASS, graph)

    assert [node.op for node in graph] == ["matmul_v2", "scale"]
    np.testing.assert_allclose(run_graph(graph, feeds)["z"], feeds["x"].T @ feeds["y"] * 0.5)


@pytest.mark.parametrize("shape", ["float32[3]", "float32[*]"])
def test_matmul_of_vectors_stays(shape: str) -> None:
    graph = parse_graph(f"graph main(%x: {shape}, %y: float32[3,4]) {{ %z = matmul(X=%x, Y=%y) return %z }}")

    run_pass(PASS, graph)

    assert [node.op for node in graph] == ["matmul"]


def test_what_a_condition_returns_stays_read_or_not() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%c: bool[1], %x: float32[2]) {
          %x#1 = conditional_block(Cond=%c, Input=%x) {carried=1}
            graph block1(%x: float32[2]) {
              %x#1 = relu(X=%x)
              return %x#1
            }
          return %c
        }
        """,
    )
