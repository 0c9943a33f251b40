"""Regions are replaced by one op each."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.graph import Graph, Node
from lite.ir.text import parse_graph, print_graph
from lite.ir.verify import verify
from lite.subgraph.rewrite import boundary, rewrite


def named(graph: Graph, *names: str) -> list[Node]:
    """The nodes whose first outputs have these names."""
    by_name = {node.label: node for node in graph}
    return [by_name[name] for name in names]


def check(text: str, regions: Sequence[Sequence[str]], expected: str) -> None:
    graph = parse_graph(text)
    named_regions = [("npu", n, named(graph, *names)) for n, names in enumerate(regions)]
    region_nodes = rewrite(graph, named_regions)
    verify(graph)
    assert [node.op for node in region_nodes] == ["subgraph"] * len(regions)
    assert print_graph(graph) == print_graph(parse_graph(expected))


def test_ops_move_with_their_constants() -> None:
    check(
        """
        graph main(%x: float32[2]) {
          %w = const float32[2] [1.0, 2.0]
          %a = relu(X=%x) : float32[2]
          %b = elementwise_add(X=%a, Y=%w) {axis=-1} : float32[2]
          %c = tanh(X=%b) : float32[2]
          return %c
        }
        """,
        [["a", "b"]],
        """
        graph main(%x: float32[2]) {
          Outputs=%b = subgraph(Inputs=%x) {device="npu", region=0} : float32[2]
            graph npu_0(%x: float32[2]) {
              %w = const float32[2] [1.0, 2.0]
              %a = relu(X=%x) : float32[2]
              %b = elementwise_add(X=%a, Y=%w) {axis=-1} : float32[2]
              return %b
            }
          %c = tanh(X=%b) : float32[2]
          return %c
        }
        """,
    )


def test_a_constant_with_other_users_stays() -> None:
    check(
        """
        graph main(%x: float32[2]) {
          %w = const float32[2] [1.0, 2.0]
          %a = elementwise_add(X=%x, Y=%w)
          %b = elementwise_mul(X=%a, Y=%w)
          return %b
        }
        """,
        [["a"]],
        """
        graph main(%x: float32[2]) {
          %w = const float32[2] [1.0, 2.0]
          Outputs=%a = subgraph(Inputs=%x) {device="npu", region=0}
            graph npu_0(%x: float32[2]) {
              %w = const float32[2] [1.0, 2.0]
              %a = elementwise_add(X=%x, Y=%w)
              return %a
            }
          %b = elementwise_mul(X=%a, Y=%w)
          return %b
        }
        """,
    )


def test_boundary_values_are_listed_once_in_the_order_of_ids() -> None:
    graph = parse_graph("""
        graph main(%x: float32[2], %y: float32[2]) {
          %a = elementwise_add(X=%y, Y=%x)
          %b = elementwise_add(X=%a, Y=%y)
          %c = tanh(X=%a)
          return %b, %c, again=%b
        }
    """)
    inputs, outputs = boundary(named(graph, "a", "b"))
    assert [value.name for value in inputs] == ["x", "y"]
    assert [value.name for value in outputs] == ["a", "b"]


def test_nodes_are_reordered_so_that_regions_can_run() -> None:
    """%h is between the ops of the region and reads the first of them, so it must run after the region."""
    check(
        """
        graph main(%x: float32[2]) {
          %a = relu(X=%x)
          %h = tanh(X=%a)
          %b = relu(X=%x)
          return %h, %b
        }
        """,
        [["a", "b"]],
        """
        graph main(%x: float32[2]) {
          Outputs=[%a, %b] = subgraph(Inputs=%x) {device="npu", region=0}
            graph npu_0(%x: float32[2]) {
              %a = relu(X=%x)
              %b = relu(X=%x)
              return %a, %b
            }
          %h = tanh(X=%a)
          return %h, %b
        }
        """,
    )


def test_two_regions_are_replaced_at_once() -> None:
    check(
        """
        graph main(%x: float32[2]) {
          %a = relu(X=%x)
          %h = tanh(X=%a)
          %b = relu(X=%h)
          return %b
        }
        """,
        [["a"], ["b"]],
        """
        graph main(%x: float32[2]) {
          Outputs=%a = subgraph(Inputs=%x) {device="npu", region=0}
            graph npu_0(%x: float32[2]) {
              %a = relu(X=%x)
              return %a
            }
          %h = tanh(X=%a)
          Outputs=%b = subgraph(Inputs=%h) {device="npu", region=1}
            graph npu_1(%h) {
              %b = relu(X=%h)
              return %b
            }
          return %b
        }
        """,
    )


def test_without_regions_the_graph_does_not_change() -> None:
    text = "graph main(%x: float32[2]) { %a = relu(X=%x) return %a }"
    check(text, [], text)
