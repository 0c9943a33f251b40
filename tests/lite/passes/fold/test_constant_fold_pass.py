"""Values that do not depend on the inputs are computed once."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.text import parse_graph
from tests.lite.passes.check import check, check_unchanged, constants_of, run_pass

PASS = "constant_fold_pass"


def test_a_chain_of_ops_on_constants_is_folded() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2]) {
          %w = const float32[2] [1.0, -2.0]
          %a = relu(X=%w)
          %b = elementwise_add(X=%a, Y=%w) {axis=-1}
          %y = elementwise_mul(X=%x, Y=%b) {axis=-1}
          return %y
        }
        """,
        """
        graph main(%x: float32[2]) {
          %b_1 = const float32[2] [2.0, -2.0]
          %y = elementwise_mul(X=%x, Y=%b_1) {axis=-1} : float32[2]
          return %y
        }
        """,
    )


def test_ops_without_inputs_are_folded_to_results() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2]) {
          %a = fill_constant() {shape=[2], dtype=3, value=7.0}
          return %a, %x
        }
        """,
        """
        graph main(%x: float32[2]) {
          %a_1 = const int64[2] [7, 7]
          return a=%a_1, %x
        }
        """,
    )


def test_known_sizes_are_folded() -> None:
    """Axes 1 and 2 of x are known and axis 0 is unknown; the sizes of reshape2 follow from the shapes."""
    check(
        PASS,
        """
        graph main(%x: float32[?,3,4], %w: float32[1,12]) {
          %s = shape(Input=%x)
          %c = slice(Input=%s) {axes=[0], starts=[1], ends=[2]}
          %d = slice(Input=%s) {axes=[0], starts=[2], ends=[3]}
          %n = slice(Input=%s) {axes=[0], starts=[0], ends=[1]}
          %cd = elementwise_mul(X=%c, Y=%d)
          %y = expand_v2(X=%w, expand_shapes_tensor=[%n, %cd]) {shape=[-1, -1]}
          %two = fill_constant() {shape=[2], dtype=2, value=12.0}
          %z = reshape2(X=%x, Shape=%two) {shape=[-1, -1]}
          return %y, %z
        }
        """,
        """
        graph main(%x: float32[?,3,4], %w: float32[1,12]) {
          %cd_1 = const int32[1] [12]
          %s = shape(Input=%x) : int32[3]
          %n = slice(Input=%s) {axes=[0], starts=[0], ends=[1]} : int32[1]
          %y = expand_v2(X=%w, expand_shapes_tensor=[%n, %cd_1]) {shape=[-1, -1]} : float32[?,12]
          %z = reshape2(X=%x) {shape=[12, 12]} : float32[12,12]
          return %y, %z
        }
        """,
    )


@pytest.mark.parametrize(
    ("slots", "sizes"),
    [
        ("ShapeTensor=[%n, %two, %six]", "[-1, 2, 6]"),
        ("ShapeTensor=[%zero, %m, %six]", "[0, -1, 6]"),
        ("Shape=%joined", "[-1, 6, 2]"),
    ],
)
def test_one_unknown_size_of_a_reshape_becomes_minus_one(slots: str, sizes: str) -> None:
    graph = parse_graph(
        f"""
        graph main(%x: float32[?,12], %m: int32[1]) {{
          %zero = const int32[1] [0]
          %two = const int32[1] [2]
          %six = const int32[1] [6]
          %held = no_such_op(X=[%zero, %two, %six])
          %s = shape(Input=%x)
          %n = slice(Input=%s) {{axes=[0], starts=[0], ends=[1]}}
          %joined = concat(X=[%n, %six, %two]) {{axis=0}}
          %y = reshape2(X=%x, {slots}) {{shape=[]}}
          return %y, %held
        }}
        """
    )

    assert run_pass(PASS, graph)

    [reshape] = [node for node in graph if node.op == "reshape2"]
    assert str(reshape.attrs["shape"]) == sizes
    assert list(reshape.inputs) == ["X"]


@pytest.mark.parametrize("slots", ["ShapeTensor=[%n, %m]", "ShapeTensor=[%n, %rest]", "Shape=%u"])
def test_a_reshape_with_several_unknown_sizes_is_not_folded(slots: str) -> None:
    graph = parse_graph(
        f"""
        graph main(%x: float32[?,12], %m: int32[1], %u: int32[2]) {{
          %rest = const int32[1] [-1]
          %held = no_such_op(X=%rest)
          %s = shape(Input=%x)
          %n = slice(Input=%s) {{axes=[0], starts=[0], ends=[1]}}
          %y = reshape2(X=%x, {slots}) {{shape=[]}}
          return %y, %held
        }}
        """
    )

    run_pass(PASS, graph)

    [reshape] = [node for node in graph if node.op == "reshape2"]
    assert reshape.attrs["shape"] == []
    assert len(reshape.inputs) == 2


def test_partly_known_elements_are_tracked() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[?,8,6]) {
          %s = shape(Input=%x)
          %l = cast(X=%s) {out_dtype=3}
          %half = const int64[3] [2, 2, 2]
          %h = elementwise_floordiv(X=%l, Y=%half)
          %p = scale(X=%h) {scale=1.0, bias=1.0}
          %j = concat(X=[%p, %l]) {axis=0}
          %known = slice(Input=%j) {axes=[0], starts=[1], ends=[3]}
          %open = slice(Input=%j) {axes=[0], starts=[2], ends=[4]}
          return %known, %open
        }
        """,
        """
        graph main(%x: float32[?,8,6]) {
          %half = const int64[3] [2, 2, 2]
          %known_1 = const int64[2] [5, 4]
          %s = shape(Input=%x) : int32[3]
          %l = cast(X=%s) {out_dtype=3} : int64[3]
          %h = elementwise_floordiv(X=%l, Y=%half) : int64[3]
          %p = scale(X=%h) {scale=1.0, bias=1.0} : int64[3]
          %j = concat(X=[%p, %l]) {axis=0} : int64[6]
          %open = slice(Input=%j) {axes=[0], starts=[2], ends=[4]} : int64[2]
          return known=%known_1, %open
        }
        """,
    )


def test_unknown_elements_are_not_known_as_strings() -> None:
    graph = """
        graph main(%x: float32[?,8]) {
          %s = shape(Input=%x) : int32[2]
          %text = cast(X=%s) {in_dtype=2, out_dtype=25} : string[2]
          return %text
        }
        """
    check(PASS, graph, graph)


def test_constants_move_into_blocks_and_are_folded_there() -> None:
    check(
        PASS,
        """
        graph main(%c: bool[1], %x: float32[1], %i: float32[1]) {
          %k = fill_constant() {shape=[1], dtype=5, value=2.0}
          %c#1, %x#1 = while(Condition=%c, X=[%x, %k, %i]) {carried=2}
            graph block1(%c: bool[1], %x: float32[1], %k: float32[1], %i: float32[1]) {
              %m = relu(X=%k)
              %y = elementwise_mul(X=%x, Y=%m) {axis=-1}
              return c=%c, x=%y
            }
          return %x#1
        }
        """,
        """
        graph main(%c: bool[1], %x: float32[1], %i: float32[1]) {
          %k_1 = const float32[1] [2.0]
          %c#1, %x#1 = while(Condition=%c, X=[%x, %k_1, %i]) {carried=2} : bool[1], float32[1]
            graph block1(%c: bool[1], %x: float32[1], %k: float32[1], %i: float32[1]) {
              %m_1 = const float32[1] [2.0]
              %y = elementwise_mul(X=%x, Y=%m_1) {axis=-1} : float32[1]
              return c=%c, x=%y
            }
          return %x#1
        }
        """,
    )


def test_carried_constants_remain_arguments_of_the_block() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%c: bool[1]) {
          %k = const float32[1] [2.0]
          %c#1, %x#1 = while(Condition=%c, X=%k) {carried=2} : bool[1], float32[1]
            graph block1(%c: bool[1], %x: float32[1]) {
              %y = relu(X=%x) : float32[1]
              return c=%c, x=%y
            }
          return %x#1
        }
        """,
    )


@pytest.mark.parametrize(
    "node",
    [
        "uniform_random() {shape=[2], dtype=5} : float32[2]",
        "relu(X=%w) effect : float32[1]",
        "relu(X=%w) : float32[1] quant([0.5], [0], -1, int8)",
        "lod_reset(X=%w) {target_lod=[0, 1]} : float32[1]",
        "no_such_op(X=%w)",
    ],
)
def test_ops_that_must_run_are_not_folded(node: str) -> None:
    check_unchanged(
        PASS,
        f"""
        graph main(%x: float32[2]) {{
          %w = const float32[1] [1.0]
          %y = {node}
          return %y, %x, %w
        }}
        """,
    )


def test_an_op_whose_kernel_fails_is_not_folded() -> None:
    """In a block that may never run, on constants that do not fit."""
    graph = parse_graph(
        """
        graph main(%c: bool[1], %x: float32[1]) {
          %x#1 = conditional_block(Cond=%c, Input=%x) {carried=1}
            graph block1(%x: float32[1]) {
              %a = const float32[2] [1.0, 2.0]
              %b = const float32[3] [1.0, 2.0, 3.0]
              %y = elementwise_add(X=%a, Y=%b) {axis=-1}
              return x=%y
            }
          return %x#1
        }
        """
    )

    run_pass(PASS, graph)

    assert [node.op for each in graph.walk() for node in each] == ["conditional_block", "elementwise_add"]


@pytest.mark.parametrize(("max_bytes", "ops"), [(400, []), (399, ["fill_constant"])])
def test_large_results_are_not_folded(max_bytes: int, ops: list[str]) -> None:
    graph = parse_graph("graph main() { %a = fill_constant() {shape=[100], dtype=5, value=1.0} return %a }")

    run_pass(f"constant_fold_pass{{max_bytes={max_bytes}}}", graph)

    assert [node.op for node in graph] == ops


def test_large_results_that_are_smaller_than_their_inputs_are_folded() -> None:
    graph = parse_graph(
        "graph main() { %w = const float32[4,100] random(1) %y = transpose2(X=%w) {axis=[1, 0]} return %y }"
    )
    [weight] = constants_of(graph).values()

    assert run_pass("constant_fold_pass{max_bytes=0}", graph)

    [(name, folded)] = constants_of(graph).items()
    assert name == "y_1"
    np.testing.assert_array_equal(folded, weight.T)
    assert folded.flags.c_contiguous
    assert not folded.flags.writeable


def test_quantised_constants_are_folded_but_where_they_are_moved() -> None:
    weight = "%w = const uint8[3] [0, 5, 25] : float32[3] quant([0.5], [6], -1, uint8)"
    graph = check(
        PASS,
        f"""
        graph main(%x: float32[3]) {{
          {weight}
          %m = reshape2(X=%w) {{shape=[3, 1]}} : float32[3,1]
          %a = abs(X=%w) : float32[3]
          %y = elementwise_add(X=%x, Y=%a) {{axis=-1}} : float32[3]
          return %y, %m
        }}
        """,
        f"""
        graph main(%x: float32[3]) {{
          {weight}
          %a_1 = const float32[3] [3.0, 0.5, 9.5]
          %m = reshape2(X=%w) {{shape=[3, 1]}} : float32[3,1]
          %y = elementwise_add(X=%x, Y=%a_1) {{axis=-1}} : float32[3]
          return %y, %m
        }}
        """,
    )
    assert set(constants_of(graph)) == {"w", "a_1"}
