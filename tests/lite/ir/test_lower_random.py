"""Random programs and their graphs compute the same, in both directions."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from lite.ir import Graph, Program, Value, build_graph
from lite.ir.lower import lower_graph
from lite.ir.text import constants_by_key, parse_graph, print_graph
from lite.ir.verify import verify
from tests.support.interpreter.terms import Terms, run_graph, run_program
from tests.support.random_programs.control_flow import programs


@settings(max_examples=120, deadline=None)
@given(programs())
def test_a_graph_computes_the_same_as_its_program(program: Program) -> None:
    terms = Terms()
    expected = run_program(program, terms)
    graph = build_graph(program)
    verify(graph)
    assert run_graph(graph, terms) == expected


@settings(max_examples=120, deadline=None)
@given(programs())
def test_a_lowered_program_computes_the_same_as_its_graph(program: Program) -> None:
    terms = Terms()
    expected = run_program(program, terms)
    lowered = lower_graph(build_graph(program), program)
    assert run_program(lowered, terms) == expected
    again = build_graph(lowered)
    verify(again)
    assert run_graph(again, terms) == expected


@settings(max_examples=120, deadline=None)
@given(programs(), st.data())
def test_a_rewired_graph_computes_the_same_after_lowering(program: Program, data: st.DataObject) -> None:
    graph = build_graph(program)
    for inner in graph.walk():
        _rewire(inner, data)
    verify(graph)
    terms = Terms()
    expected = run_graph(graph, terms)
    lowered = lower_graph(graph, program)
    assert run_program(lowered, terms) == expected
    assert run_graph(build_graph(lowered), terms) == expected


@settings(max_examples=60, deadline=None)
@given(programs())
def test_the_text_of_a_graph_parses_to_an_equal_graph(program: Program) -> None:
    graph = build_graph(program)
    text = print_graph(graph)
    parsed = parse_graph(text, constants_by_key(graph))
    verify(parsed)
    assert print_graph(parsed) == text
    terms = Terms()
    assert run_graph(parsed, terms) == run_graph(graph, terms)


def _rewire(graph: Graph, data: st.DataObject) -> None:
    """Let nodes that need not care read, and the graph return, other values of the same kind."""
    before = [*graph.args, *graph.constants.values()]
    for node in graph:
        for slot, values in list(node.inputs.items()):
            node.set_input(slot, [_other(value, before, data) for value in values])
        before.extend(value for value in node.all_outputs() if node.op != "uninitialized")
    graph.set_results([_other(value, before, data) for value in graph.results])


def _other(value: Value, choices: Sequence[Value], data: st.DataObject) -> Value:
    fitting = [choice for choice in choices if choice.kind is value.kind]
    if not fitting or data.draw(st.integers(0, 2)):
        return value
    return data.draw(st.sampled_from(fitting))
