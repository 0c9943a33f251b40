"""A graph with every element of a picture: versions, blocks, regions, effects, a constant, two results."""

from __future__ import annotations

from lite.ir.graph import Graph
from lite.ir.text import parse_graph

TEXT = """graph main(%c: bool[1], %x: float32[1]) {
  %w = const float32[1] [2.0]
  %x#1 = elementwise_add(X=%x, Y=%w) {axis=0} : float32[1]
  print(In=%x#1) effect
  %y = conditional_block(Cond=%c, Input=%x#1) {carried=0} : float32[1]
    graph block1(%x: float32[1]) {
      %z = relu(X=%x)
      return y=%z
    }
  %r = subgraph(X=%y) {device="npu"}
    graph block2(%y: float32[1]) {
      %p = relu(X=%y)
      return r=%p
    }
  %s = subgraph(X=%r) {device="npu"}
    graph block3(%r: float32[1]) {
      %q = relu(X=%r)
      return s=%q
    }
  print(In=%s) effect
  return %s, %x#1
}
"""


def nested_graph() -> Graph:
    """A new graph from `TEXT`; the ids of %c and %x are 1 and 2."""
    return parse_graph(TEXT)
