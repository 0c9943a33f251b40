"""Programs become graphs: versions, order of inputs and outputs, sub-blocks, and errors."""

import pytest

from lite.errors import GraphError
from lite.ir import Attribute, AttrType, DType, Op, Program, Var, VarKind, build_graph
from lite.ir.text import print_graph
from lite.ir.verify import verify
from tests.support.bare_programs import add_weight, column_op, make_op, make_program

Block = tuple[list[str], list[Op]]


def text(program: Program) -> str:
    graph = build_graph(program)
    verify(graph)
    return print_graph(graph)


def test_every_write_is_a_version() -> None:
    program = make_program(
        "x",
        "x",
        (
            ["x", "y"],
            [
                make_op("relu", {"X": "x"}, {"Out": "y"}),
                make_op("tanh", {"X": "y"}, {"Out": "y"}),
                make_op("add", {"X": ["x", "y"]}, {"Out": "x"}),
            ],
        ),
    )
    assert text(program) == (
        "graph main(%x) {\n"
        "  %y = relu(X=%x)\n"
        "  %y#1 = tanh(X=%y)\n"
        "  %x#1 = add(X=[%x, %y#1])\n"
        "  return %x#1\n"
        "}\n"
    )


def test_inputs_and_outputs_are_ordered_by_column() -> None:
    program = make_program("", "", (["a", "b", "p", "q"], []))
    program.blocks[0].ops = [
        column_op("feed", {"X": ["feed"]}, {"Out": ["b"]}, 1),
        column_op("feed", {"X": ["feed"]}, {"Out": ["a"]}, 0),
        make_op("relu", {"X": "b"}, {"Out": "q"}),
        column_op("fetch", {"X": ["q"]}, {"Out": ["fetch"]}, 1),
        column_op("fetch", {"X": ["b"]}, {"Out": ["fetch"]}, 0),
    ]
    graph = build_graph(program)
    assert [value.name for value in graph.args] == ["a", "b"]
    assert graph.result_names == ["b", "q"]


def test_without_feed_ops_variables_with_need_check_feed_are_fed() -> None:
    program = make_program([], "y", (["x", "y"], [make_op("relu", {"X": "x"}, {"Out": "y"})]))
    program.blocks[0].vars["x"].need_check_feed = True
    assert [value.name for value in build_graph(program).args] == ["x"]


def test_kept_variables_are_returned_after_the_outputs() -> None:
    ops = [make_op("relu", {"X": "x"}, {"Out": "y"}), make_op("tanh", {"X": "y"}, {"Out": "z"})]
    program = make_program("x", "z", (["x", "y", "z"], ops))
    graph = build_graph(program, keep=["y", "z"])
    assert graph.result_names == ["z", "y"]
    with pytest.raises(GraphError, match=r"keep: the main block has no variable 'yy'; did you mean 'y'"):
        build_graph(program, keep=["yy"])


def test_a_node_around_an_effect_has_an_effect() -> None:
    inner: Block = ([], [make_op("print", {"In": "x"}, {})])
    ops = [make_op("conditional_block", {"Cond": "x"}, {}, 1), make_op("relu", {"X": "x"}, {"Out": "y"})]
    graph = build_graph(make_program("x", "y", (["x", "y"], ops), inner), effects=["print"])
    assert [node.effect for node in graph] == [True, False]


def test_types_come_from_the_variables() -> None:
    program = make_program("x", "y", (["x", "y"], [make_op("relu", {"X": "x"}, {"Out": "y"})]))
    program.blocks[0].vars["y"] = Var("y", VarKind.TENSOR, DType.INT64, (2, -1), lod_level=1)
    value = build_graph(program).results[0]
    assert (value.dtype, value.shape, value.lod_level) == (DType.INT64, (2, "?"), 1)


def test_variables_in_attributes_become_inputs_and_absent_ones_are_dropped() -> None:
    op = make_op("slice", {"Input": "x", "Start": "@EMPTY@"}, {"Out": "y", "Scope": "scopes"})
    op.attrs = {
        "starts": Attribute(AttrType.VARS, ["a", "b"]),
        "end": Attribute(AttrType.VAR, "a"),
        "op_role": Attribute(AttrType.INT, 1),
        "axes": Attribute(AttrType.INTS, [0]),
    }
    program = make_program(["x", "a", "b"], "y", (["x", "a", "b", "y"], [op]))
    program.blocks[0].vars["scopes"] = Var("scopes", VarKind.STEP_SCOPES)
    assert "%y = slice(Input=%x, starts=[%a, %b], end=%a) {axes=[0]}" in text(program)


def test_a_loop_carries_the_variables_that_its_body_writes() -> None:
    body: Block = (
        ["t"],
        [
            make_op("add", {"X": ["i", "one"]}, {"Out": "t"}),
            make_op("mul", {"X": ["t", "w"]}, {"Out": "i"}),
            make_op("less", {"X": ["i", "n"]}, {"Out": "c"}),
            make_op("relu", {"X": "t"}, {"Out": "last"}),
        ],
    )
    ops = [
        make_op("zero", {}, {"Out": "i"}),
        make_op("less", {"X": ["i", "n"]}, {"Out": "c"}),
        make_op("while", {"Condition": "c"}, {"Out": ["i"]}, 1),
    ]
    program = make_program(["n", "one"], ["i", "last"], (["n", "one", "i", "c", "last"], ops), body)
    add_weight(program, "w", 2.0)
    assert text(program) == (
        "graph main(%n, %one) {\n"
        "  %i = zero()\n"
        "  %c = less(X=[%i, %n])\n"
        "  %last = uninitialized()\n"
        "  %c#1, %i#1, %last#1 = while(Condition=%c, X=[%i, %last, %one, %n]) {carried=3}\n"
        "    graph block1(%c, %i, %last#1, %one, %n) {\n"
        "      %w = const float32[2] [2.0, 2.0]\n"
        "      %t = add(X=[%i, %one])\n"
        "      %i#1 = mul(X=[%t, %w])\n"
        "      %c#1 = less(X=[%i#1, %n])\n"
        "      %last = relu(X=%t)\n"
        "      return %c#1, %i#1, %last\n"
        "    }\n"
        "  return %i#1, %last#1\n"
        "}\n"
    )


def test_a_conditional_block_carries_variables_that_have_a_value() -> None:
    block: Block = (
        [],
        [make_op("relu", {"X": "x"}, {"Out": "new"}), make_op("tanh", {"X": "old"}, {"Out": "old"})],
    )
    ops = [
        make_op("zero", {}, {"Out": "old"}),
        make_op("conditional_block", {"Cond": "x"}, {"Out": []}, 1),
    ]
    program = make_program("x", ["new", "old"], (["x", "new", "old"], ops), block)
    assert text(program) == (
        "graph main(%x) {\n"
        "  %old = zero()\n"
        "  %old#1, %new = conditional_block(Cond=%x, Input=[%old, %x]) {carried=1}\n"
        "    graph block1(%old, %x) {\n"
        "      %new = relu(X=%x)\n"
        "      %old#1 = tanh(X=%old)\n"
        "      return %old#1, %new\n"
        "    }\n"
        "  return %new, %old#1\n"
        "}\n"
    )


def test_an_array_starts_empty_and_every_write_is_a_version() -> None:
    body: Block = (
        [],
        [
            make_op("write_to_array", {"X": "x", "I": "i"}, {"Out": "an_array"}),
            make_op("increment", {"X": "i"}, {"Out": "i"}),
        ],
    )
    ops = [
        make_op("zero", {}, {"Out": "i"}),
        make_op("while", {"Condition": "c"}, {"Out": []}, 1),
        make_op("read_from_array", {"X": "an_array", "I": "i"}, {"Out": "y"}),
    ]
    program = make_program(["x", "c"], "y", (["x", "c", "i", "y", "an_array"], ops), body)
    assert text(program) == (
        "graph main(%x, %c) {\n"
        "  %i = zero()\n"
        "  %an_array = create_array() : tensor_array ?[*]\n"
        "  %c#1, %an_array#1, %i#1 = while(Condition=%c, X=[%an_array, %i, %x]) {carried=3}"
        " : ?[*], tensor_array ?[*], ?[*]\n"
        "    graph block1(%c, %an_array: tensor_array ?[*], %i, %x) {\n"
        "      %an_array#1 = write_to_array(X=%x, I=%i, Array=%an_array) : tensor_array ?[*]\n"
        "      %i#1 = increment(X=%i)\n"
        "      return %c, %an_array#1, %i#1\n"
        "    }\n"
        "  %y = read_from_array(X=%an_array#1, I=%i#1)\n"
        "  return %y\n"
        "}\n"
    )


def test_a_weight_that_a_loop_writes_is_carried() -> None:
    body: Block = ([], [make_op("mul", {"X": ["w", "x"]}, {"Out": "w"})])
    ops = [make_op("while", {"Condition": "c"}, {"Out": []}, 1)]
    program = make_program(["x", "c"], "w", (["x", "c"], ops), body)
    add_weight(program, "w", 2.0)
    assert text(program) == (
        "graph main(%x, %c) {\n"
        "  %w = const float32[2] [2.0, 2.0]\n"
        "  %c#1, %w#1 = while(Condition=%c, X=[%w, %x]) {carried=2}\n"
        "    graph block1(%c, %w, %x) {\n"
        "      %w#1 = mul(X=[%w, %x])\n"
        "      return %c, %w#1\n"
        "    }\n"
        "  return %w#1\n"
        "}\n"
    )


def broken_missing() -> Program:
    return make_program("x", "y", (["x", "y", "z"], [make_op("relu", {"X": "z"}, {"Out": "y"})]))


def broken_order() -> Program:
    ops = [make_op("relu", {"X": "z"}, {"Out": "y"}), make_op("tanh", {"X": "y"}, {"Out": "z"})]
    return make_program("x", "y", (["x", "y", "z"], ops))


def broken_weight() -> Program:
    program = broken_missing()
    program.blocks[0].vars["z"].persistable = True
    return program


def broken_fetch() -> Program:
    return make_program("x", [], (["x"], []))


def broken_unknown_fetch() -> Program:
    return make_program("x", "y", (["x"], []))


def broken_index() -> Program:
    return make_program("x", "x", (["x"], [make_op("while", {"Condition": "x"}, {}, 3)]))


def broken_own_block() -> Program:
    loop = make_op("while", {"Condition": "x"}, {}, 1)
    return make_program("x", "x", (["x"], [loop]), ([], [loop]))


def broken_block_of_unknown_op() -> Program:
    return make_program("x", "x", (["x"], [make_op("recurrent", {"X": "x"}, {}, 1)]), ([], []))


def broken_condition() -> Program:
    return make_program("x", "x", (["x"], [make_op("while", {"Condition": ["x", "x"]}, {}, 1)]), ([], []))


def broken_without_block() -> Program:
    return make_program("x", "x", (["x"], [make_op("while", {"Condition": "x"}, {})]))


def broken_region() -> Program:
    return make_program("x", "y", (["x", "y"], [make_op("subgraph", {"Inputs": "x"}, {"Outputs": "y"})]))


def broken_feed() -> Program:
    return make_program(["x", "x"], "x", (["x"], []))


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (broken_missing, "block 0, op relu, slot X: no op writes 'z', and it is neither fed nor a weight"),
        (broken_order, "'z' is read before op 2 (tanh) writes it; the ops are out of order or form a cycle"),
        (broken_weight, "weight 'z' has no data; was the parameter file loaded?"),
        (broken_fetch, "the program fetches nothing"),
        (broken_unknown_fetch, "block 0, fetch: no op writes 'y'"),
        (broken_index, "while: sub_block is 3; the program has blocks 0 to 0"),
        (broken_own_block, "while: sub_block 1 contains itself"),
        (broken_block_of_unknown_op, "recurrent: ops of this type cannot have a sub-block"),
        (broken_condition, "while: slot Condition names 2 variables, expected one"),
        (broken_without_block, "while: attribute sub_block is missing"),
        (broken_region, "subgraph: attribute sub_block is missing"),
        (broken_feed, "'x' is fed twice"),
        (Program, "the program has no blocks"),
    ],
)
def test_an_invalid_program_is_an_error(broken: type[Program], sentence: str) -> None:
    with pytest.raises(GraphError) as caught:
        build_graph(broken())
    assert sentence in str(caught.value)


def test_an_op_without_inputs_and_outputs_is_kept() -> None:
    graph = build_graph(make_program("x", "x", (["x"], [Op("barrier")])))
    assert [node.op for node in graph] == ["barrier"]
