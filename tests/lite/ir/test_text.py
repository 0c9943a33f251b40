"""The text form: printed graphs parse back, and errors point at the wrong token."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite.errors import GraphError
from lite.ir import NO_LOD, DType, Graph, Layout, Place, Quant, VarKind
from lite.ir.text import constant_key, constants_by_key, parse_graph, print_graph

GOLDEN = """\
graph main(%x: float32[?,3,8,8], %n: int64[1] lod 1, %free) {
  %w = const float32[1,3,1,1] [0.1, 1.0, -2.0]
  %c = const bool[] [true]
  %nothing = const int64[0] []
  %half = const bfloat16[2] [0.5, 3.0] : float32[2] quant([0.5], [0], -1, bfloat16)
  %words = const string[2] ["a\\n", "é\\"\\\\"]
  Output=%conv = conv2d(Input=%x, Filter=%w) {paddings=[0, 0], auto=true, alpha=0.5, pad="SAME"} \
@host/float32/nchw : float32[?,1,8,8]
  %a, %b = split(X=%conv) {axis=1} : float32[batch,1], ?[*]
  %"a/b", XShape=[%s, %s#1] = "my op"(X=[%a, %b], "return"=%n) {z=[], i=inf, l=[-inf, nan], big=4294967296}
  %c#1, %y = while(Condition=%c, X=[%"a/b", %n]) {carried=2} effect : bool[1], tensor_array float32[?,"a b"]
    graph block1(%c: bool[1], %y, %n: int64[1]) {
      %k = const complex64[1] [complex(1.0, -0.5)]
      %z = scale(X=%n) {scale=1e-05} : float16[2] @"my npu"/any/nhwc
      return %c, y=%z
    }
  print(In=%y) effect
  return out=%y, %b, %"a/b", "b c"=%x
}
"""


def test_golden_text_survives_the_round_trip() -> None:
    assert print_graph(parse_graph(GOLDEN)) == GOLDEN


def test_an_empty_graph_survives_the_round_trip() -> None:
    text = "graph main() {\n  return\n}\n"
    assert print_graph(Graph()) == text
    assert print_graph(parse_graph(text)) == text


def test_every_term_of_a_text_is_in_the_graph() -> None:
    graph = parse_graph(GOLDEN)
    conv, split, mine, loop, shown = graph
    assert conv.place == Place("host", DType.FLOAT32, Layout.NCHW)
    assert conv.attrs == {"paddings": [0, 0], "auto": True, "alpha": 0.5, "pad": "SAME"}
    assert conv.output("Output").shape == ("?", 1, 8, 8)
    assert [value.name for value in split.outputs["Out"]] == ["a", "b"]
    assert split.outputs["Out"][1].shape is None
    assert [value.version for value in mine.outputs["XShape"]] == [0, 1]
    assert mine.attrs["big"] == 1 << 32
    assert loop.effect
    assert shown.effect
    assert not shown.outputs
    assert loop.outputs["Out"][1].kind is VarKind.TENSOR_ARRAY
    assert loop.outputs["Out"][1].shape == ("?", "a b")
    assert graph.constants["half"].quant == Quant((0.5,), (0,), -1, DType.BFLOAT16)
    assert graph.args[1].lod_level == 1
    assert graph.result_names == ["out", "b", "a/b", "b c"]
    assert not graph.constants["w"].data.flags.writeable  # type: ignore[union-attr]
    assert loop.blocks[0].ids is graph.ids
    assert NO_LOD == ()


def test_text_may_be_laid_out_freely() -> None:
    graph = parse_graph("graph g(%x){%y=relu(X=[%x,])// nothing\nreturn %y}".replace(",]", "]"))
    assert print_graph(graph) == "graph g(%x) {\n  %y = relu(X=%x)\n  return %y\n}\n"


def test_big_constants_are_printed_as_their_key() -> None:
    array = np.arange(20, dtype=np.int32).reshape(4, 5)
    graph = Graph()
    graph.set_results([graph.add_constant("w", array)], ["w"])
    text = print_graph(graph)
    assert f"%w = const int32[4,5] @{constant_key(array)}\n" in text
    parsed = parse_graph(text, constants_by_key(graph))
    np.testing.assert_array_equal(parsed.results[0].data, array)
    with pytest.raises(GraphError, match="has no array under"):
        parse_graph(text)
    with pytest.raises(GraphError, match=r"is int32\[2\]"):
        parse_graph(text, {constant_key(array): array[0, :2]})


def test_different_arrays_have_different_keys() -> None:
    array = np.zeros((4, 4), np.float32)
    others = [array.reshape(16), array.astype(np.int32), array + 1, np.full((4, 4), "a", object)]
    assert len({constant_key(each) for each in [array, *others]}) == 5
    assert constant_key(np.array([["a"]], object)) == constant_key(np.array([["a"]], dtype="U5"))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int8", "uint8", "int64", "bool"])
def test_random_constants_are_reproducible(dtype: str) -> None:
    text = f"graph g() {{ %w = const {dtype}[4,3,3,3] random(7) return %w }}"
    first, second = parse_graph(text).results[0].data, parse_graph(text).results[0].data
    assert first is not None
    assert second is not None
    assert first.dtype == DType.from_name(dtype).numpy
    assert first.shape == (4, 3, 3, 3)
    assert len(set(first.reshape(-1).tolist())) > 1
    np.testing.assert_array_equal(first.view(np.uint8), second.view(np.uint8))


@given(
    st.lists(st.floats(width=32), max_size=16), st.sampled_from(["float32", "float16", "float64", "bfloat16"])
)
def test_elements_survive_the_round_trip_exactly(numbers: list[float], dtype: str) -> None:
    with np.errstate(over="ignore"):
        array = np.array(numbers, np.float64).astype(DType.from_name(dtype).numpy)
    graph = Graph()
    graph.set_results([graph.add_constant("w", array)], ["w"])
    copy = parse_graph(print_graph(graph)).results[0].data
    assert copy is not None
    np.testing.assert_array_equal(copy.astype(np.float64), array.astype(np.float64))
    assert copy.dtype == array.dtype


names = st.text(min_size=1, max_size=6)
scalars = st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5))


@given(names, names, names, names, st.lists(scalars, max_size=4), scalars)
def test_any_name_and_attribute_survives_the_round_trip(
    value: str, op: str, slot: str, result: str, items: list[bool | float | str], scalar: bool | float | str
) -> None:
    graph = Graph(name=op)
    argument = graph.add_arg(value)
    argument.shape = (value,)
    node = graph.add_node(op, {slot: [argument]}, {slot: [value]}, {slot: scalar, slot + "s": items})  # type: ignore[dict-item]
    graph.set_results([node.output()], [result])
    parsed = parse_graph(print_graph(graph))
    (copy,) = parsed
    assert (copy.op, copy.attrs, parsed.result_names) == (op, node.attrs, [result])
    assert (copy.input(slot).name, copy.output(slot).version) == (value, 1)
    assert print_graph(parsed) == print_graph(graph)


BROKEN = {
    "graph m() { return %x }": (1, 20, "not defined above"),
    "graph m(%xs) {\n  %y = relu(X=%x)\n  return %y }": (2, 15, "not defined above; did you mean 'xs'?"),
    "graph m(%x) { %y = relu(X=%y) return }": (1, 27, "not defined above"),
    "graph m(%x) { %x = relu(X=%x) return }": (1, 15, "defined twice"),
    "graph m(%x: float3[2]) { return }": (1, 13, "did you mean 'float32'"),
    "graph m(%x: float32[2) { return }": (1, 22, "expected ','"),
    "graph m() { %x = const int8[2] [1, 300] return %x }": (1, 32, "not elements of int8"),
    "graph m() { %x = const int8[2] [1, 2.5] return %x }": (1, 32, "not elements of int8"),
    "graph m() { %x = const int8[2] [1] return %x }": (1, 32, "expected 2 elements"),
    "graph m() { %x = const int8[?] [1] return %x }": (1, 24, "numbers"),
    "graph m() { %x = const int8[1] 1 return %x }": (1, 32, "expected the elements"),
    "graph m() { %x, %y = const int8[1] [1] return %x }": (1, 13, "one value"),
    "graph m() { %w = const bool[] [true] %w#1 = const bool[] [true] return }": (
        1,
        38,
        "another constant has this name",
    ),
    "graph m() { return": (1, 19, "end of the text"),
    "graph m() { ^ }": (1, 13, "no token"),
    'graph m("x) { return }': (1, 9, "no token"),
    "graph m(%x) { %y = relu(X=%x) {a=1, a=2} return }": (1, 37, "given twice"),
    "graph m(%x) { %y = relu(X=%x) {a=yes} return }": (1, 34, "expected true, false"),
    "graph m(%x) { %y = relu(X=%x) : ?[1], ?[1] return }": (1, 37, "more types than its 1 outputs"),
    "graph m(%x) { %y = relu(X=%x) @host/any/nchww return }": (1, 41, "expected one of"),
    "graph m(%x: ?[*] quant([a], [0], 0, int8)) { return }": (1, 25, "expected true, false"),
    "graph m(%x: ?[*] lod 1.5) { return }": (1, 22, "integer"),
    'graph m(%"\\q") { return }': (1, 9, "cannot be read"),
    "graph m() { return } graph": (1, 22, "expected the end of the text"),
    "": (1, 1, "expected 'graph'"),
}


@pytest.mark.parametrize("text", BROKEN)
def test_errors_point_at_the_wrong_token(text: str) -> None:
    line, column, sentence = BROKEN[text]
    with pytest.raises(GraphError) as caught:
        parse_graph(text)
    first, source, caret = str(caught.value).split("\n")
    assert first.startswith(f"graph text, line {line}, column {column}: ")
    assert sentence in first
    assert source == f"  {text.splitlines()[line - 1] if text else ''}"
    assert caret == " " * (column + 1) + "^"


def test_an_invalid_attribute_cannot_be_printed() -> None:
    graph = Graph()
    graph.add_node("op", {}, {}, {"a": {1}})  # type: ignore[dict-item]
    with pytest.raises(GraphError, match="cannot be the value of an attribute"):
        print_graph(graph)
