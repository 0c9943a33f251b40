"""Shapes of every value of a graph."""

from __future__ import annotations

import pytest

from lite.errors import GraphError
from lite.ir.text import parse_graph, print_graph
from lite.ops.infer_graph import infer_changes, infer_graph


def check(before: str, after: str) -> None:
    """`before` becomes `after`, and `infer_graph` says truly whether it changed anything."""
    graph = parse_graph(before)
    text = print_graph(graph)
    changed = infer_graph(graph)
    found = print_graph(graph)
    assert found == print_graph(parse_graph(after))
    assert changed == (found != text)
    again, metas = infer_changes(graph)
    assert not again
    values = [*graph.args, *(value for node in graph for value in node.all_outputs())]
    known = {value: (meta.dtype, meta.shape) for value, meta in metas.items()}
    assert all(known.get(value, (value.dtype, value.shape)) == (value.dtype, value.shape) for value in values)


def test_rules_run_in_order() -> None:
    check(
        "graph main(%x: float32[?,6]) { %a = relu(X=%x) %b = reshape2(X=%a) {shape=[0, 2, 3]} return %b }",
        """
        graph main(%x: float32[?,6]) {
          %a = relu(X=%x) : float32[?,6]
          %b = reshape2(X=%a) {shape=[0, 2, 3]} : float32[?,2,3]
          return %b
        }
        """,
    )


def test_declared_sizes_are_kept_where_the_rule_infers_none() -> None:
    check(
        "graph main(%x: float32[?,2]) { %a = relu(X=%x) : int64[7,n] return %a }",
        "graph main(%x: float32[?,2]) { %a = relu(X=%x) : float32[7,2] return %a }",
    )


def test_declared_sizes_of_outputs_sized_by_the_run_are_ignored() -> None:
    check(
        """
        graph main(%b: float32[1,8,4], %s: float32[1,3,8]) {
          %y = matrix_nms(BBoxes=%b, Scores=%s) : float32[24,6]
          return %y
        }
        """,
        """
        graph main(%b: float32[1,8,4], %s: float32[1,3,8]) {
          %y = matrix_nms(BBoxes=%b, Scores=%s) : float32[?,6]
          return %y
        }
        """,
    )


def test_declared_shapes_are_kept_after_unknown_ops() -> None:
    check(
        """
        graph main(%x: float32[2], %u: ?[2]) {
          %a = no_such_op(X=%x) : int64[3]
          %b = assign(X=%a)
          %c = relu(X=%u) : float32[4]
          %d = relu(X=%c)
          return %b, %d
        }
        """,
        """
        graph main(%x: float32[2], %u: ?[2]) {
          %a = no_such_op(X=%x) : int64[3]
          %b = assign(X=%a) : int64[3]
          %c = relu(X=%u) : float32[4]
          %d = relu(X=%c) : float32[4]
          return %b, %d
        }
        """,
    )


LOOP = """
    graph main(%c: bool[1], %x: float32[1,4], %y: float32[2], %r: float32[1,4]) {{
      %c#1, %x#1, %y#1 = while(Condition=%c, X=[%x, %y, %r]) {{carried=3}}{outputs}
        graph block1(%c: bool[1], %x: {x}, %y: {y}, %r: {r}) {{
          %j = concat(X=[%x, %r]) {{axis=0}}{j}
          %z = relu(X=%y){z}
          return c=%c, x=%j, y=%z
        }}
      return %x#1, %y#1
    }}
"""


def test_shapes_of_carried_values_hold_for_every_iteration() -> None:
    """x grows along axis 0, so only its second size is known; the declared one is of the first round."""
    declared = LOOP.format(
        outputs=" : bool[1], float32[2,4], float32[2]",
        x="float32[1,4]",
        y="float32[2]",
        r="float32[1,4]",
        j=" : float32[2,4]",
        z="",
    )
    inferred = LOOP.format(
        outputs=" : bool[1], float32[?,4], float32[2]",
        x="float32[?,4]",
        y="float32[2]",
        r="float32[1,4]",
        j=" : float32[?,4]",
        z=" : float32[2]",
    )

    check(declared, inferred)


def test_the_output_of_a_condition_has_the_sizes_of_both_branches() -> None:
    check(
        """
        graph main(%c: bool[1], %x: float32[1,4]) {
          %x#1, %n = conditional_block(Cond=%c, Input=%x) {carried=1}
            graph block1(%x: float32[1,4]) {
              %j = concat(X=[%x, %x]) {axis=0}
              %n = shape(Input=%j)
              return x=%j, n=%n
            }
          return %x#1, %n
        }
        """,
        """
        graph main(%c: bool[1], %x: float32[1,4]) {
          %x#1, %n = conditional_block(Cond=%c, Input=%x) {carried=1} : float32[?,4], int32[2]
            graph block1(%x: float32[1,4]) {
              %j = concat(X=[%x, %x]) {axis=0} : float32[2,4]
              %n = shape(Input=%j) : int32[2]
              return x=%j, n=%n
            }
          return %x#1, %n
        }
        """,
    )


def test_an_error_names_its_node() -> None:
    graph = parse_graph("graph main(%x: float32[2,3]) { %y = matmul_v2(X=%x, Y=%x) return %y }")

    with pytest.raises(GraphError, match="matmul_v2 %y: matmul_v2: Y: expected 3 rows"):
        infer_graph(graph)


def test_an_error_in_a_block_gives_an_unknown_shape() -> None:
    check(
        """
        graph main(%c: bool[1], %x: float32[2,3]) {
          %y = conditional_block(Cond=%c, Input=%x) {carried=0}
            graph block1(%x: float32[2,3]) {
              %z = matmul_v2(X=%x, Y=%x) : float32[2,3]
              return y=%z
            }
          return %y
        }
        """,
        """
        graph main(%c: bool[1], %x: float32[2,3]) {
          %y = conditional_block(Cond=%c, Input=%x) {carried=0} : float32[*]
            graph block1(%x: float32[2,3]) {
              %z = matmul_v2(X=%x, Y=%x) : float32[*]
              return y=%z
            }
          return %y
        }
        """,
    )
