"""Graphs become programs: names, weights, sub-blocks, attribute types, and errors."""

from collections.abc import Iterable

import numpy as np
import pytest

from lite.errors import GraphError
from lite.ir import (
    Attribute,
    AttrType,
    DType,
    Graph,
    Program,
    Var,
    VarKind,
    Weight,
    build_graph,
)
from lite.ir.build import fetched_names
from lite.ir.lower import lower_graph
from lite.ir.text import constants_by_key, parse_graph, print_graph
from lite.ir.verify import verify
from lite.plugin.format import PARSERS, ModelSource
from lite.plugin.loader import load_parsers
from tests.support.bare_programs import make_op, make_program
from tests.support.interpreter.terms import Terms, run_graph, run_program
from tests.support.reference_models import reference_model


def ops(program: Program, block: int = 0) -> list[str]:
    """One line an op: ``outputs = type(inputs)``."""
    return [
        f"{_joined(op.outputs.values())} = {op.type}({_joined(op.inputs.values())})"
        for op in program.blocks[block].ops
        if op.type not in ("feed", "fetch")
    ]


def _joined(slots: Iterable[list[str]]) -> str:
    return ", ".join(name for names in slots for name in names)


def lower_text(text: str) -> Program:
    """Lower a graph; what it means must stay, in the program and in the graph built from that."""
    graph = parse_graph(text)
    verify(graph)
    program = lower_graph(graph)
    terms = Terms()
    expected = run_graph(graph, terms)
    assert run_program(program, terms) == expected
    again = build_graph(program)
    verify(again)
    assert run_graph(again, terms) == expected
    assert again.result_names == graph.result_names
    assert [value.name for value in again.args] == [value.name for value in graph.args]
    return program


def test_versions_become_variables_and_results_have_their_fetched_names() -> None:
    program = lower_text(
        "graph g(%x) { %y = a(X=%x) %y#1 = b(X=[%x, %y]) %z = c(X=%y) return y=%y#1, out=%z }"
    )
    assert ops(program) == ["y_1 = a(x)", "y = b(x, y_1)", "out = c(y_1)"]
    assert fetched_names(program) == ["y", "out"]
    assert [op.attr("col") for op in program.blocks[0].ops if op.type == "fetch"] == [0, 1]


def test_feed_and_fetch_variables_hold_no_tensors() -> None:
    program = lower_text("graph g(%feed) { return %feed }")
    kinds = {name: var.kind for name, var in program.blocks[0].vars.items()}
    assert kinds == {"feed": VarKind.TENSOR, "feed_1": VarKind.FEED, "fetch": VarKind.FETCH}
    assert program.blocks[0].vars["feed"].need_check_feed


def test_results_that_no_op_writes_are_copied() -> None:
    program = lower_text(
        "graph g(%x, %y) { %w = const float32[1] [2.0] %z = a(X=%x) "
        "return y=%x, x=%y, %w, v=%w, z=%z, z2=%z }"
    )
    lines = ops(program)
    assert lines[0] == "z = a(x)"
    assert sorted(lines[1:]) == [
        "v = assign(w)",
        "x = assign(y_1)",
        "x_1 = assign(x)",
        "y = assign(x_1)",
        "y_1 = assign(y)",
        "z2 = assign(z)",
    ]


def test_only_the_named_results_are_fetched() -> None:
    graph = parse_graph("graph g(%x) { %a = f(X=%x) %b = f(X=%a) return %b, kept=%a }")
    assert fetched_names(lower_graph(graph, fetch=["b"])) == ["b"]
    assert fetched_names(lower_graph(graph)) == ["b", "kept"]


def test_constants_with_the_same_array_are_one_weight() -> None:
    shared = np.ones(3, np.float32)
    shared.flags.writeable = False
    graph = parse_graph(
        "graph g(%c) { conditional_block(Cond=%c) {carried=0} graph b() { return } return %c }"
    )
    (inner,) = next(iter(graph)).blocks
    graph.add_constant("w", shared)
    inner.add_constant("w", shared)
    inner.add_constant("v", np.zeros(3, np.float32))
    graph.add_constant("v", np.ones(3, np.float32))
    program = lower_graph(graph)
    assert {name: weight.array.tolist() for name, weight in program.weights.items()} == {
        "w": [1, 1, 1],
        "v": [1, 1, 1],
        "v_1": [0, 0, 0],
    }
    assert program.weights["w"].array is shared
    assert all(program.blocks[0].vars[name].persistable for name in program.weights)


LOOP = """
graph main(%x, %n) {{
  %w = const float32[1] [2.0]
  %i = zero()
  %c = less(X=[%i, %n])
  {before}
  %c#1, %i#1, %x#1 = while(Condition=%c, X=[{i}, {x}, %n]) {{carried=3}}
    graph body(%c, %i, %x, %n) {{
      %i#1 = increment(X=%i)
      %x#1 = mul(X=[%x, %i#1])
      %c#1 = less(X=[%i#1, %n])
      return {results}
    }}
  return i=%i#1, y=%x#1{more}
}}
"""


def test_a_loop_carries_values_without_other_uses_in_one_variable() -> None:
    program = lower_text(
        LOOP.format(before="%s = start()", i="%i", x="%s", results="%c#1, %i#1, %x#1", more="")
    )
    assert ops(program) == [
        "i = zero()",
        "c = less(i, n)",
        "y = start()",
        "c, i, y, body_scope = while(c, i, y, n)",
    ]
    assert ops(program, 1) == ["i = increment(i)", "x_1 = mul(y, i)", "c = less(i, n)", "y = assign(x_1)"]
    assert program.blocks[1].parent == 0
    assert list(program.blocks[1].vars) == ["x_1"]
    assert program.blocks[0].ops[-3].attrs["sub_block"] == Attribute(AttrType.BLOCK, 1)
    assert "carried" not in program.blocks[0].ops[-3].attrs


def test_a_loop_copies_values_that_are_used_later() -> None:
    program = lower_text(
        LOOP.format(before="", i="%i", x="%x", results="%c#1, %i#1, %x#1", more=", %x, first=%i")
    )
    assert ops(program)[:4] == ["first = zero()", "c = less(first, n)", "i = assign(first)", "y = assign(x)"]


def test_a_loop_does_not_write_weights() -> None:
    program = lower_text(LOOP.format(before="", i="%w", x="%w", results="%c#1, %i#1, %x#1", more=", %w"))
    assert ops(program)[2:] == [
        "i = assign(w)",
        "y = assign(w)",
        "c, i, y, body_scope = while(c, i, y, n)",
    ]


def test_swapped_loop_values_are_copied_in_parallel() -> None:
    program = lower_text(LOOP.format(before="%s = f()", i="%i", x="%s", results="%c#1, %x, %i", more=""))
    assert ops(program, 1)[3:] == ["y_1 = assign(y)", "i_2 = assign(i)", "i = assign(y_1)", "y = assign(i_2)"]


def test_a_body_does_not_write_variables_that_it_only_reads() -> None:
    program = lower_text(
        """
        graph main(%c) {
          %a = zero()
          %c#1 = while(Condition=%c, X=%a) {carried=1}
            graph outer(%c, %a) {
              %c#1, %a#1 = while(Condition=%c, X=%a) {carried=2}
                graph inner(%c, %a) {
                  %a#1 = double(X=%a)
                  %c#1 = less(X=%a#1)
                  return %c#1, %a#1
                }
              %c#2 = less(X=[%a#1, %c#1])
              return c=%c#2
            }
          %b = read(X=%a)
          return %b, d=%c#1
        }
        """
    )
    assert all("a" not in op.outputs.get("Out", ()) for block in program.blocks[1:] for op in block.ops)


def test_only_ops_that_paddle_runs_in_place_overwrite_their_input() -> None:
    program = lower_text(LOOP.format(before="", i="%i", x="%x", results="%c#1, %i#1, %x#1", more=""))
    for block in program.blocks:
        for op in block.ops:
            if op.type not in ("increment", "while"):
                read = {name for names in op.inputs.values() for name in names}
                assert not read & {name for names in op.outputs.values() for name in names}, op


def statistics(results: str, more: str = "") -> Program:
    """A normalisation with the outputs that Paddle writes."""
    return lower_text(
        f"""
        graph g(%x) {{
          %m = const float32[1] [2.0]
          %v = const float32[1] [4.0]
          Y=%y, MeanOut=%a, VarianceOut=%b = batch_norm(X=%x, Mean=%m, Variance=%v)
          {more}
          return {results}
        }}
        """
    )


def test_statistics_that_nothing_reads_are_the_variables_of_the_inputs() -> None:
    assert ops(statistics("%y")) == ["y, m, v = batch_norm(x, m, v)"]


def test_other_statistics_have_variables_of_their_own() -> None:
    assert ops(statistics("%y, %a")) == ["y, a, v = batch_norm(x, m, v)"]
    program = statistics("%y, %z", "%z = double(X=%m)")
    assert ops(program) == ["y, a, v = batch_norm(x, m, v)", "z = double(m)"]


def test_a_tensor_array_is_written_in_place_unless_it_is_read_later() -> None:
    text = (
        "graph g(%x, %i) {{ %a = create_array() : tensor_array ?[*]"
        " %a#1 = write_to_array(X=%x, I=%i, Array=%a) : tensor_array ?[*]"
        " %a#2 = write_to_array(X=%x, I=%x, Array=%a#1) : tensor_array ?[*]"
        " %y = read_from_array(X=%a#{version}, I=%i) return %y }}"
    )
    assert ops(lower_text(text.format(version=2))) == [
        "a = write_to_array(x, i)",
        "a = write_to_array(x, x)",
        "y = read_from_array(a, i)",
    ]
    assert ops(lower_text(text.format(version=1))) == [
        "a = write_to_array(x, i)",
        "a_1 = assign(a)",
        "a_1 = write_to_array(x, x)",
        "y = read_from_array(a, i)",
    ]


def test_another_op_with_a_sub_block_keeps_its_slots() -> None:
    graph = parse_graph(
        'graph g(%x) { A=%a, B=%b = subgraph(In=[%x, %x]) {device="npu"}'
        " graph r(%p, %q) { %s = add(X=[%p, %q]) return a=%s, b=%p } return %a, %b }"
    )
    program = lower_graph(graph)
    (op,) = (op for op in program.blocks[0].ops if op.type == "subgraph")
    assert (op.inputs, op.outputs) == ({"In": ["x", "x"]}, {"A": ["a"], "B": ["b"]})
    assert ops(program, 1) == ["a = add(x, x)", "b = assign(x)"]


def test_attributes_get_types_that_can_hold_them() -> None:
    graph = Graph()
    values = {
        "flag": (True, AttrType.BOOLEAN),
        "int": (-(1 << 31), AttrType.INT),
        "long": (1 << 31, AttrType.LONG),
        "float": (0.5, AttrType.FLOAT),
        "infinite": (float("inf"), AttrType.FLOAT),
        "double": (1e300, AttrType.FLOAT64),
        "text": ("a", AttrType.STRING),
        "complex": (1j, AttrType.SCALAR),
        "none": ([], AttrType.INTS),
        "flags": ([True], AttrType.BOOLEANS),
        "ints": ([1, -1], AttrType.INTS),
        "longs": ([1, 1 << 40], AttrType.LONGS),
        "floats": ([1, 0.5], AttrType.FLOATS),
        "doubles": ([1e300], AttrType.FLOAT64S),
        "texts": (["a", ""], AttrType.STRINGS),
        "scalars": ([True, 2], AttrType.SCALARS),
    }
    graph.add_node("op", {}, {}, {name: value for name, (value, _) in values.items()})  # type: ignore[misc]
    graph.set_results([graph.add_arg("x")], ["x"])
    attrs = next(op for op in lower_graph(graph).blocks[0].ops if op.type == "op").attrs
    assert {name: attribute.type for name, attribute in attrs.items()} == {
        name: kind for name, (_, kind) in values.items()
    }
    assert attrs["floats"].value == [1.0, 0.5]
    assert isinstance(attrs["floats"].value[0], float)


def test_the_original_program_decides_types_and_flags() -> None:
    op = make_op("slice", {"X": "x"}, {"Out": "y"})
    op.attrs = {
        "starts": Attribute(AttrType.LONGS, [1]),
        "scale": Attribute(AttrType.FLOAT64, 0.5),
        "axis": Attribute(AttrType.INT, 1),
        "size": Attribute(AttrType.VARS, ["x", "w"]),
        "end": Attribute(AttrType.VAR, "x"),
    }
    like = make_program("x", "y", (["x", "y", "w"], [op]))
    like.version, like.op_versions, like.extra = 2, {"slice": 1}, b"rest"
    like.blocks[0].vars["x"] = Var("x", VarKind.TENSOR, DType.INT64, (-1,), 1, False, False, None, True, b"v")
    like.blocks[0].vars["w"] = Var("w", persistable=True, stop_gradient=True)
    like.weights["w"] = Weight(np.ones(2, np.float32), ((0, 2),))
    graph = build_graph(like)
    node = next(iter(graph))
    node.attrs["axis"] = 1 << 40
    node.attrs["scale"] = 2
    program = lower_graph(graph, like)
    node.attrs["scale"] = 2.0
    sliced = next(op for op in program.blocks[0].ops if op.type == "slice")
    assert sliced.attrs == {
        "starts": Attribute(AttrType.LONGS, [1]),
        "scale": Attribute(AttrType.FLOAT64, 2.0),
        "axis": Attribute(AttrType.LONG, 1 << 40),
        "size": Attribute(AttrType.VARS, ["x", "w"]),
        "end": Attribute(AttrType.VAR, "x"),
    }
    assert sliced.inputs == {"X": ["x"]}
    assert program.blocks[0].vars["x"] == Var(
        "x", VarKind.TENSOR, DType.INT64, (-1,), 1, False, True, None, True, b"v"
    )
    assert program.blocks[0].vars["w"].stop_gradient
    assert program.weights["w"].lod == ((0, 2),)
    assert (program.version, program.op_versions, program.extra) == (2, {"slice": 1}, b"rest")
    assert print_graph(build_graph(program)) == print_graph(graph)


def test_a_variable_has_the_shape_that_all_its_values_share() -> None:
    program = lower_text(
        "graph g(%x: float32[1,n,4], %c: bool[1]) { %a = f(X=%x) : float32[1,n,4]"
        " %a#1 = conditional_block(Cond=%c, Input=%a) {carried=1} : float32[1,2,4]"
        " graph b(%a: float32[1,n,4]) { %b = f(X=%a) : float32[1,n,5] return a=%b } return a=%a#1 }"
    )
    variables = program.blocks[0].vars
    assert (variables["x"].shape, variables["a"].shape) == ((1, -1, 4), (1, -1, -1))
    assert variables["c"].dtype is DType.BOOL


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("graph g(%x, %y) { return a=%x, a=%y }", "different results share a name"),
        ("graph g(%x, %x#1) { return }", "arguments share a name"),
        ("graph g(%x) { f(X=%x) graph a(%x) { return } graph b(%x) { return } return }", "2 sub-blocks"),
        ('graph g(%x) { f(X=%x) {a=[1, "b"]} return }', "no attribute type of Paddle holds a=[1, 'b']"),
        ("graph g(%x) { f(X=%x) {a=9223372036854775808} return }", "no attribute type"),
        ("graph g(%x) { f(X=%x) {a=[9223372036854775808]} return }", "no attribute type"),
    ],
)
def test_a_graph_without_a_program_is_an_error(text: str, sentence: str) -> None:
    with pytest.raises(GraphError) as caught:
        lower_graph(parse_graph(text))
    assert sentence in str(caught.value)


@pytest.mark.parametrize("name", ["loop_and_branches", "while_and_cond"])
def test_a_model_with_control_flow_survives_the_round_trip(name: str) -> None:
    load_parsers()
    program = PARSERS.get("paddle").parse(ModelSource(path=reference_model(name).path))
    graph = build_graph(program)
    verify(graph)
    assert [node.op for node in graph if node.blocks] == ["while", "conditional_block", "conditional_block"]
    text = print_graph(graph)
    assert print_graph(parse_graph(text, constants_by_key(graph))) == text
    terms = Terms()
    expected = run_program(program, terms)
    assert run_graph(graph, terms) == expected
    lowered = lower_graph(graph, program)
    assert run_program(lowered, terms) == expected
    again = build_graph(lowered)
    assert run_graph(again, terms) == expected
    # The loop writes a fed variable; only the copy of it is new.
    kinds = [node.op for node in graph]
    assert [node.op for node in again] == [*kinds[:2], "assign", *kinds[2:]]
    assert print_graph(build_graph(lower_graph(again, lowered))) == print_graph(again)
