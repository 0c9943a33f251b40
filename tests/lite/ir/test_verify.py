"""Every rule of the verifier refuses a graph that breaks it, and no rule refuses a valid graph."""

from collections.abc import Callable
from typing import cast

import numpy as np
import pytest

from lite.errors import VerifyError
from lite.ir import DType, Graph, Node, Quant, Value
from lite.ir.text import parse_graph
from lite.ir.types import Array
from lite.ir.verify import verify

TEXT = """
graph main(%c: bool[1], %x: float32[2]) {
  %w = const float32[2] [1.0, 2.0]
  %a = add(X=%x, Y=%w)
  %b = relu(X=%a)
  %c#1, %x#1 = while(Condition=%c, X=[%x, %b]) {carried=2}
    graph block(%c, %x, %b) {
      %y = add(X=%x, Y=%b)
      return %c, x=%y
    }
  %new = conditional_block(Cond=%c, Input=%b) {carried=0}
    graph block2(%b) {
      %d = relu(X=%b)
      return new=%d
    }
  %end = relu(X=%x#1)
  return %end, %new
}
"""


def nodes(graph: Graph) -> list[Node]:
    return list(graph)


def stray(graph: Graph) -> Value:
    return Graph(graph.ids).new_value("stray")


def cut_the_list(graph: Graph) -> None:
    nodes(graph)[1].next = nodes(graph)[3]


def wrong_back_link(graph: Graph) -> None:
    nodes(graph)[2].previous = nodes(graph)[0]


def foreign_node(graph: Graph) -> None:
    nodes(graph)[1].graph = Graph()


def endless_list(graph: Graph) -> None:
    nodes(graph)[-1].next = nodes(graph)[0]


def output_twice(graph: Graph) -> None:
    first, second, *_ = graph
    second.outputs["Again"] = [first.output()]


def wrong_producer(graph: Graph) -> None:
    nodes(graph)[0].output().producer = None


def value_of_another_graph(graph: Graph) -> None:
    value = stray(graph)
    value.producer = nodes(graph)[0]
    nodes(graph)[0].outputs["More"] = [value]


def same_name_and_version(graph: Graph) -> None:
    nodes(graph)[0].output().name = "x"


def constant_under_another_name(graph: Graph) -> None:
    graph.constants["v"] = graph.constants.pop("w")


def read_before_write(graph: Graph) -> None:
    first, second, *_ = graph
    first.set_input("X", [second.output()])


def read_from_outside(graph: Graph) -> None:
    inner = nodes(nodes(graph)[2].blocks[0])[0]
    inner.set_input("X", [graph.args[1]])


def empty_slot(graph: Graph) -> None:
    nodes(graph)[0].inputs["Z"] = []


def empty_output_slot(graph: Graph) -> None:
    nodes(graph)[0].outputs["Z"] = []


def unregistered_use(graph: Graph) -> None:
    nodes(graph)[1].inputs["X"] = [graph.args[1]]


def use_by_an_erased_node(graph: Graph) -> None:
    value = graph.args[1]
    last = nodes(graph)[-1]
    graph.set_results(graph.results[1:], graph.result_names[1:])
    graph.erase(last)
    value.users[last] = 1


def wrong_use_count(graph: Graph) -> None:
    value = graph.args[1]
    value.users[nodes(graph)[0]] += 1


def wrong_result_count(graph: Graph) -> None:
    graph.results[0].result_count = 0


def missing_result_name(graph: Graph) -> None:
    graph.result_names.pop()


def foreign_result(graph: Graph) -> None:
    graph.set_results([stray(graph)], ["stray"])


def same_result_name(graph: Graph) -> None:
    graph.result_names[:] = ["same", "same"]


def scalar_constant(graph: Graph) -> None:
    value = graph.constants["w"]
    value.data, value.shape = cast(Array, np.float32(3)), ()


def writeable_constant(graph: Graph) -> None:
    graph.constants["w"].data = np.zeros(2, np.float32)


def constant_of_another_shape(graph: Graph) -> None:
    graph.constants["w"].shape = (3,)


def constant_of_another_dtype(graph: Graph) -> None:
    graph.constants["w"].dtype = DType.INT32


def constant_without_array(graph: Graph) -> None:
    graph.constants["w"].data = None


def argument_with_array(graph: Graph) -> None:
    graph.args[0].data = graph.constants["w"].data


def quantised_constant_of_another_storage(graph: Graph) -> None:
    value = graph.constants["w"]
    value.quant, value.dtype = Quant((1.0,), (0,), -1, DType.INT8), DType.FLOAT16


def argument_without_input(graph: Graph) -> None:
    nodes(graph)[2].blocks[0].add_arg("more")


def result_without_output(graph: Graph) -> None:
    block = nodes(graph)[3].blocks[0]
    block.set_results([*block.results, block.args[0]], ["new", "b"])


def loop_that_does_not_carry(graph: Graph) -> None:
    nodes(graph)[2].attrs["carried"] = 1


def carried_out_of_range(graph: Graph) -> None:
    nodes(graph)[3].attrs["carried"] = 2


def loop_without_body(graph: Graph) -> None:
    nodes(graph)[2].blocks.clear()


def one_body_twice(graph: Graph) -> None:
    graph.add_node("twice", {"X": [graph.args[1]]}, {"Out": ["z"]}).blocks = nodes(graph)[3].blocks


def body_with_ids_of_its_own(graph: Graph) -> None:
    nodes(graph)[3].blocks = [parse_graph("graph b(%b) { return new=%b }")]


def same_id(graph: Graph) -> None:
    nodes(graph)[0].id = graph.args[0].id


def same_id_in_a_body(graph: Graph) -> None:
    nodes(graph)[2].blocks[0].args[0].id = graph.args[0].id


BROKEN: dict[Callable[[Graph], None], str] = {
    cut_the_list: "order is consistent",
    wrong_back_link: "order is consistent",
    foreign_node: "order is consistent",
    endless_list: "order is consistent",
    output_twice: "values are defined once",
    wrong_producer: "values are defined once",
    value_of_another_graph: "values are defined once",
    same_name_and_version: "names and versions are unique",
    constant_under_another_name: "names and versions are unique",
    read_before_write: "inputs are defined before use",
    read_from_outside: "uses are registered",
    empty_slot: "inputs are defined before use",
    empty_output_slot: "inputs are defined before use",
    unregistered_use: "uses are registered",
    use_by_an_erased_node: "uses are registered",
    wrong_use_count: "uses are registered",
    wrong_result_count: "results are of this graph",
    missing_result_name: "results are of this graph",
    foreign_result: "results are of this graph",
    same_result_name: "result names are unique",
    scalar_constant: "constants are arrays",
    writeable_constant: "constants are arrays",
    constant_of_another_shape: "constants are arrays",
    constant_of_another_dtype: "constants are arrays",
    constant_without_array: "constants are arrays",
    argument_with_array: "constants are arrays",
    quantised_constant_of_another_storage: "constants are arrays",
    argument_without_input: "blocks match their nodes",
    result_without_output: "blocks match their nodes",
    loop_that_does_not_carry: "blocks match their nodes",
    carried_out_of_range: "blocks match their nodes",
    loop_without_body: "blocks match their nodes",
    one_body_twice: "a graph is nested once",
    body_with_ids_of_its_own: "blocks match their nodes",
    same_id: "ids are unique",
    same_id_in_a_body: "ids are unique",
}


def test_a_valid_graph_passes() -> None:
    verify(parse_graph(TEXT))
    verify(Graph())


@pytest.mark.parametrize("break_it", BROKEN, ids=lambda function: function.__name__)
def test_the_error_names_the_broken_rule(break_it: Callable[[Graph], None]) -> None:
    graph = parse_graph(TEXT)
    break_it(graph)
    with pytest.raises(VerifyError, match=f"^rule '?{BROKEN[break_it]}"):
        verify(graph)


def test_the_message_shows_the_node_among_its_neighbours() -> None:
    graph = parse_graph(TEXT)
    last = nodes(graph)[-1]
    last.inputs["X"] = [graph.constants["w"]]
    graph.constants["w"].users[last] = 1
    with pytest.raises(VerifyError) as caught:
        verify(graph)
    assert str(caught.value) == (
        "rule 'uses are registered': graph main, node while %c#1: %x#1 has the users {relu %end: 1}, "
        "expected {}\n"
        "    %a = add(X=%x, Y=%w)\n"
        "    %b = relu(X=%a)\n"
        "  > %c#1, %x#1 = while(Condition=%c, X=[%x, %b]) {carried=2}\n"
        "    %new = conditional_block(Cond=%c, Input=%b) {carried=0}\n"
        "    %end = relu(X=%w)"
    )


REGION = """
graph main(%x: float32[2]) {
  Outputs=%b = subgraph(Inputs=%x) {device="npu", region=0}
    graph npu_0(%x) {
      %b = relu(X=%x)
      return %b
    }
  return %b
}
"""


def region_without_device(region: Node) -> None:
    del region.attrs["device"]


def region_without_number(region: Node) -> None:
    region.attrs["region"] = -1


def region_with_another_slot(region: Node) -> None:
    region.inputs["X"] = region.inputs.pop("Inputs")


def region_with_effects(region: Node) -> None:
    next(iter(region.blocks[0])).effect = True


def region_of_two_graphs(region: Node) -> None:
    region.blocks.append(Graph(region.graph.ids, "npu_1"))


def region_with_another_argument(region: Node) -> None:
    region.blocks[0].add_arg("more")


def test_a_valid_region_passes() -> None:
    verify(parse_graph(REGION))


@pytest.mark.parametrize(
    ("break_it", "rule"),
    [
        (region_without_device, "regions name their device"),
        (region_without_number, "regions name their device"),
        (region_with_another_slot, "regions name their device"),
        (region_with_effects, "regions name their device"),
        (region_of_two_graphs, "blocks match their nodes"),
        (region_with_another_argument, "blocks match their nodes"),
    ],
)
def test_a_broken_region_is_refused(break_it: Callable[[Node], None], rule: str) -> None:
    graph = parse_graph(REGION)
    break_it(nodes(graph)[0])
    with pytest.raises(VerifyError, match=f"^rule '{rule}"):
        verify(graph)


def test_a_region_without_outputs_is_refused() -> None:
    graph = parse_graph(REGION)
    [region] = graph
    graph.set_results(graph.args, ["x"])
    region.outputs.clear()
    region.blocks[0].set_results([], [])
    with pytest.raises(VerifyError, match="it has no outputs"):
        verify(graph)
