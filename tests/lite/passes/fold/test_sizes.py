"""Sizes that are equal although they are unknown."""

from __future__ import annotations

from lite.ir.graph import Graph
from lite.ir.text import parse_graph
from lite.ir.types import Shape
from lite.passes.fold.sizes import Sizes, named


def shapes_of(graph: Graph) -> dict[str, Shape | None]:
    sizes = Sizes(graph)
    for node in graph:
        sizes.add(node)
    values = [*graph.args, *(value for node in graph for value in node.all_outputs())]
    return {value.name: sizes.shape(value) for value in values}


def test_unknown_sizes_get_names() -> None:
    assert named((2, "?", "w", "?")) == (2, "axis 1", "w", "axis 3")


def test_equal_sizes_have_equal_names() -> None:
    shapes = shapes_of(
        parse_graph(
            """
            graph main(%x: float32[?,?,6], %v: float32[?,n], %u: float32[*]) {
              %a = transpose2(X=%x) {axis=[1, 0, 2]} : float32[?,?,6]
              %b = reshape2(X=%a) {shape=[0, 0, 2, 3]} : float32[?,?,2,3]
              %c = elementwise_add(X=%b, Y=%b) : float32[?,?,2,3]
              %d = concat(X=[%x, %x]) {axis=0} : float32[?,?,6]
              %e = no_such_op(X=%x) : float32[?,?]
              %f = relu(X=%v) : float32[4,n]
              return %c, %d, %e, %f
            }
            """
        )
    )
    assert shapes["x"] is not None
    first, second, _ = shapes["x"]

    assert len({first, second}) == 2
    assert shapes["a"] == (second, first, 6)
    assert shapes["b"] == shapes["c"] == (second, first, 2, 3)
    assert shapes["f"] == (4, "n")
    assert shapes["u"] is None
    assert shapes["d"] is not None
    assert shapes["d"][1:] == (second, 6)
    assert shapes["d"][0] not in (first, second)
    assert shapes["e"] is not None
    assert not {*shapes["e"]} & {first, second, "?"}


def test_elements_of_shapes_are_tracked() -> None:
    graph = parse_graph(
        """
        graph main(%x: float32[?,5]) {
          %c = const int64[2] [7, 8]
          %s = shape(Input=%x) : int32[2]
          %a = slice(Input=%s) {axes=[0], starts=[-1], ends=[2147483647]} : int32[1]
          %b = cast(X=%s) {out_dtype=3} : int64[2]
          %d = concat(X=[%b, %c]) {axis=0} : int64[4]
          %e = cast(X=%s) {out_dtype=5} : float32[2]
          %f = scale(X=%s) {scale=2.0} : int32[2]
          return %a, %d, %e, %f
        }
        """
    )
    sizes = Sizes(graph)
    for node in graph:
        sizes.add(node)
    elements = {value.name: sizes.elements(value) for node in graph for value in node.all_outputs()}
    shape = sizes.shape(graph.args[0])

    assert shape is not None
    assert elements == {
        "s": shape,
        "a": (5,),
        "b": shape,
        "d": (*shape, 7, 8),
        "e": None,
        "f": None,
    }


def test_an_invalid_op_has_unknown_sizes() -> None:
    shapes = shapes_of(
        parse_graph(
            """
            graph main(%x: float32[2,3], %v: float32[4]) {
              %a = elementwise_add(X=%x, Y=%v) : float32[2,3]
              return %a
            }
            """
        )
    )
    assert shapes["a"] == (2, 3)
