"""Copies of graphs."""

from __future__ import annotations

from lite.ir.clone import add_arg_like, clone_graph, copy_nodes
from lite.ir.graph import Graph, Value
from lite.ir.text import parse_graph, print_graph
from lite.ir.verify import verify

TEXT = """
graph main(%x: float32[n,4], %go: bool[1]) {
  %w = const float32[4] [1.0, 2.0, 3.0, 4.0]
  %a = elementwise_mul(X=%x, Y=%w) {axis=-1} : float32[n,4]
  Out=%c = conditional_block(Cond=%go, Input=%a) {carried=1, is_scalar_condition=true}
    graph block1(%a) {
      %v = const float32[1] [2.0]
      %a#1 = elementwise_mul(X=%a, Y=%v)
      return %a#1
    }
  return %c, kept=%a
}
"""


def test_a_clone_prints_the_same_and_shares_only_arrays() -> None:
    graph = parse_graph(TEXT)
    clone = clone_graph(graph)
    verify(clone)
    assert print_graph(clone) == print_graph(graph)
    assert clone.constants["w"].data is graph.constants["w"].data
    originals = {value for each in graph.walk() for node in each for value in node.all_inputs()}
    assert originals.isdisjoint(
        value for each in clone.walk() for node in each for value in node.all_inputs()
    )


def test_changing_a_clone_changes_nothing_else() -> None:
    graph = parse_graph(TEXT)
    before = print_graph(graph)
    clone = clone_graph(graph)
    clone.args[0].shape = (2, 4)
    next(iter(clone)).attrs["axis"] = 0
    assert print_graph(graph) == before


def test_copied_nodes_bring_the_constants_that_they_read() -> None:
    graph = parse_graph(TEXT)
    into = Graph(name="part")
    values: dict[Value, Value] = {graph.args[0]: add_arg_like(into, graph.args[0])}
    first = next(iter(graph))
    copy_nodes([first], into, values)
    into.set_results([values[first.output()]], ["a"])
    assert print_graph(into) == print_graph(
        parse_graph("""
        graph part(%x: float32[n,4]) {
          %w = const float32[4] [1.0, 2.0, 3.0, 4.0]
          %a = elementwise_mul(X=%x, Y=%w) {axis=-1} : float32[n,4]
          return %a
        }
        """)
    )
