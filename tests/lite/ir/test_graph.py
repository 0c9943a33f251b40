"""Edits of graphs keep them valid or are refused, and iteration survives them."""

from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite.errors import GraphError
from lite.ir import DType, Graph, Node, VarKind
from lite.ir.text import parse_graph, print_graph
from lite.ir.types import Array
from lite.ir.verify import verify

CHAIN = """\
graph main(%x) {
  %a = relu(X=%x)
  %b = tanh(X=%a)
  %c = add(X=%a, Y=%b)
  return out=%c
}
"""


def chain() -> tuple[Graph, list[Node]]:
    graph = parse_graph(CHAIN)
    return graph, list(graph)


def ops(graph: Graph) -> list[str]:
    return [node.op for node in graph]


def add(graph: Graph, op: str, before: Node | None = None) -> Node:
    return graph.add_node(op, {"X": [graph.args[0]]}, {"Out": ["new"]}, before=before)


def test_iteration_continues_after_the_current_node_is_erased() -> None:
    graph, _ = chain()
    graph.set_results([graph.args[0]])
    seen = []
    for node in reversed(graph):
        seen.append(node.op)
        graph.erase(node)
    assert seen == ["add", "tanh", "relu"]
    assert ops(graph) == []
    assert len(graph) == 0
    verify(graph)


def test_iteration_skips_erased_nodes_and_visits_nodes_inserted_later() -> None:
    graph, (relu, tanh, last) = chain()
    seen = []
    for node in graph:
        seen.append(node.op)
        if node is relu:
            graph.replace_uses(tanh.output(), graph.args[0])
            graph.erase(tanh)
            add(graph, "inserted", before=last)
            add(graph, "not seen", before=relu)
    assert seen == ["relu", "inserted", "add"]
    assert ops(graph) == ["not seen", "relu", "inserted", "add"]
    verify(graph)


def test_iteration_continues_after_the_current_node_and_its_neighbours_are_erased() -> None:
    graph, (relu, tanh, last) = chain()
    graph.set_results([graph.args[0]])
    seen = []
    for node in graph:
        seen.append(node.op)
        if node is tanh:
            for each in (last, tanh, relu):
                graph.erase(each)
            add(graph, "inserted")
    assert seen == ["relu", "tanh", "inserted"]


def test_reverse_iteration_visits_nodes_inserted_before_the_current_one() -> None:
    graph, (relu, tanh, _) = chain()
    seen = []
    for node in reversed(graph):
        seen.append(node.op)
        if node is tanh:
            add(graph, "inserted", before=tanh)
            add(graph, "not seen")
    assert seen == ["add", "tanh", "inserted", "relu"]
    assert relu.next is not None
    assert relu.next.op == "inserted"
    verify(graph)


def test_a_used_node_is_not_erased() -> None:
    graph, (relu, _, last) = chain()
    for node in (relu, last):
        with pytest.raises(GraphError, match=r"cannot erase .* still used"):
            graph.erase(node)
    assert print_graph(graph) == CHAIN
    verify(graph)


def test_a_node_can_be_erased_once_and_only_from_its_graph() -> None:
    graph, (*_, last) = chain()
    graph.set_results([graph.args[0]])
    with pytest.raises(GraphError, match="not in graph other"):
        Graph(name="other").erase(last)
    graph.erase(last)
    with pytest.raises(GraphError, match="its graph: erased"):
        graph.erase(last)
    with pytest.raises(GraphError, match="not in graph main"):
        add(graph, "relu", before=last)
    assert ops(graph) == ["relu", "tanh"]
    verify(graph)


def test_replace_uses_reaches_every_position_and_the_results() -> None:
    graph, (relu, tanh, last) = chain()
    last.set_input("X", [relu.output(), relu.output(), tanh.output()])
    graph.set_results([last.output(), relu.output(), relu.output()], ["out", "r", "s"])
    graph.replace_uses(relu.output(), graph.args[0])
    assert not relu.output().is_used
    assert graph.args[0].users == {relu: 1, tanh: 1, last: 2}
    assert graph.args[0].result_count == 2
    assert graph.result_names == ["out", "r", "s"]
    graph.erase(relu)
    verify(graph)


def test_replacing_a_value_by_itself_changes_nothing() -> None:
    graph, (relu, *_) = chain()
    graph.replace_uses(relu.output(), relu.output())
    assert print_graph(graph) == CHAIN
    verify(graph)


def test_input_and_output_slots_can_be_removed() -> None:
    graph, (relu, tanh, last) = chain()
    last.set_input("Y", [])
    assert list(last.inputs) == ["X"]
    assert not tanh.output().is_used
    with pytest.raises(GraphError, match="cannot be dropped"):
        relu.drop_output("Out")
    tanh.drop_output("Out")
    assert tanh.outputs == {}
    verify(graph)


def test_a_failed_edit_does_not_change_the_graph() -> None:
    graph, (relu, *_) = chain()
    with pytest.raises(GraphError, match="already written by relu"):
        graph.add_node("copy", {"X": [graph.args[0]]}, {"Out": ["fine", relu.output()]})
    with pytest.raises(GraphError, match="1 results have 2 names"):
        graph.set_results([relu.output()], ["a", "b"])
    with pytest.raises(GraphError, match="2 results have 1 names"):
        graph.set_results([relu.output(), relu.output()])
    assert print_graph(graph) == CHAIN
    verify(graph)


def test_a_slot_without_exactly_one_value_is_an_error() -> None:
    _, (relu, _, last) = chain()
    assert last.input("Y").name == "b"
    assert last.optional_input("Y") is last.input("Y")
    assert last.optional_input("Z") is None
    with pytest.raises(GraphError, match="slot Z holds 0 values"):
        last.input("Z")
    with pytest.raises(GraphError, match="slot XShape holds 0 values"):
        relu.output("XShape")


def test_only_user_needs_a_single_use() -> None:
    graph, (relu, tanh, last) = chain()
    assert tanh.output().only_user is last
    assert relu.output().only_user is None
    last.set_input("X", [tanh.output()])
    assert tanh.output().only_user is None
    last.set_input("X", [])
    graph.set_results([last.output(), tanh.output()], ["out", "b"])
    assert tanh.output().only_user is None


def test_a_name_written_again_is_a_new_version() -> None:
    graph, _ = chain()
    value = graph.new_value("x", graph.args[0])
    assert repr(value) == "%x#1"
    assert graph.unique_name("x") == "x_1"
    assert graph.unique_name("free") == "free"
    assert graph.new_value("x", version=7).version == 7
    assert graph.new_value("x", version=3).version == 3
    assert graph.new_value("x").version == 8


def test_a_numpy_scalar_becomes_an_array() -> None:
    graph, _ = chain()
    scalar = np.uint8(7)
    value = graph.add_constant("z", cast(Array, scalar))
    assert type(value.data) is np.ndarray
    assert (value.data.tolist(), value.shape, value.dtype) == (7, (), DType.UINT8)


def test_constants_are_read_only_and_have_unique_names() -> None:
    graph, _ = chain()
    array = np.ones((2, 3), np.float32)
    first, second = graph.add_constant("w", array), graph.add_constant("w", array)
    assert (first.name, second.name) == ("w", "w_1")
    assert (first.shape, first.dtype, first.is_constant) == ((2, 3), DType.FLOAT32, True)
    assert first.data is not None
    with pytest.raises(ValueError, match="read-only"):
        first.data[0] = 2
    array[0] = 3
    next(iter(graph)).set_input("Bias", [second])
    assert graph.drop_unused_constants()
    assert list(graph.constants) == ["w_1"]
    assert not graph.drop_unused_constants()


def test_copy_type_copies_every_field() -> None:
    first = parse_graph(
        "graph g(%x: tensor_array int8[?,n] lod 2 quant([0.5], [3], 0, int8) @npu/int8/nhwc) { return }"
    )
    graph = Graph()
    value = graph.new_value("y", first.args[0])
    assert value.kind is VarKind.TENSOR_ARRAY
    for name in ("dtype", "shape", "lod_level", "quant", "place"):
        assert getattr(value, name) == getattr(first.args[0], name)


def test_effect_edges_join_consecutive_nodes_with_effects() -> None:
    graph = parse_graph("graph g(%x) { a(X=%x) effect b(X=%x) c(X=%x) effect d(X=%x) effect return }")
    assert [(a.op, b.op) for a, b in graph.effect_edges()] == [("a", "c"), ("c", "d")]
    assert list(Graph().effect_edges()) == []


def test_walk_visits_outer_graphs_first() -> None:
    graph = parse_graph(
        "graph a() { f() graph b() { g() graph c() { return } return } h() graph d() { return } return }"
    )
    assert [inner.name for inner in graph.walk()] == ["a", "b", "c", "d"]


@given(st.data())
def test_a_graph_verifies_after_random_edits(data: st.DataObject) -> None:
    graph, _ = chain()
    ids = {value.id for value in graph.args}
    ids |= {number for node in graph for number in (node.id, *(value.id for value in node.all_outputs()))}
    for _ in range(data.draw(st.integers(0, 12))):
        nodes = list(graph)
        before = data.draw(st.sampled_from([None, *nodes]))
        earlier = nodes[: nodes.index(before)] if before is not None else nodes
        values = [
            *graph.args,
            *graph.constants.values(),
            *(v for node in earlier for v in node.all_outputs()),
        ]
        edit = data.draw(st.integers(0, 5))
        if edit == 0:
            read = data.draw(st.lists(st.sampled_from(values), max_size=3))
            node = graph.add_node("op", {"X": read}, {"Out": ["a", "b"]}, before=before)
            fresh = {node.id, *(value.id for value in node.all_outputs())}
            assert not fresh & ids
            ids |= fresh
        elif edit == 1:
            ids.add(graph.add_constant("a", np.zeros(2)).id)
        elif edit == 2 and before is not None:
            graph.replace_uses(data.draw(st.sampled_from(list(before.all_outputs()))), values[0])
        elif edit == 3 and before is not None:
            before.set_input("X", data.draw(st.lists(st.sampled_from(values), max_size=3)))
        elif edit == 4 and before is not None and not any(v.is_used for v in before.all_outputs()):
            graph.erase(before)
        elif edit == 5:
            graph.set_results(data.draw(st.lists(st.sampled_from(values), min_size=1, max_size=1)))
        verify(graph)
    assert print_graph(parse_graph(print_graph(graph))) == print_graph(graph)
