"""The text of a region's structure, which is part of its key."""

from __future__ import annotations

import pytest

from lite.cache.region_key import RegionText, Symbols
from lite.ir.graph import Graph
from lite.ir.text import parse_graph


def text_of(text: str) -> str:
    return RegionText(parse_graph(text), Symbols()).text


def with_attr(value: object) -> Graph:
    graph = Graph()
    x = graph.add_arg("x")
    node = graph.add_node("scale", {"X": [x]}, {"Out": ["y"]}, {"scale": value})  # type: ignore[dict-item]
    graph.set_results([node.output()], ["y"])
    return graph


def test_the_text_has_types_attributes_places_and_constants() -> None:
    region = RegionText(
        parse_graph(
            """
            graph region(%x: float32[2,n], %z: int64[?]) {
              %w = const float32[2] [1.0, 2.0]
              %unused = const float32[1] [0.0]
              %s = elementwise_add(X=%x, Y=%w) {axis=0, bc="t"} : float32[2,n]
              Z=%p, A=%q = two(X=[%s, %s]) @host/float32/nchw effect : float32[m,n], float32[*]
              return %p, %w
            }
            """
        ),
        Symbols(),
    )
    assert region.text == (
        "graph(%0 tensor float32[2,s0] lod0, %1 tensor int64[?] lod0)\n"
        '"elementwise_add" {"X": [%0], "Y": [%2 tensor float32[2] lod0 const]} '
        '{"axis": 0, "bc": "t"} -> {"Out": [%3 tensor float32[2,s0] lod0]} 0\n'
        '"two" {"X": [%3, %3]} {} -> {"A": [%4 tensor float32[*] lod0], '
        '"Z": [%5 tensor float32[s1,s0] lod0]} @host/float32/nchw effect 0\n'
        "return %5, %2\n"
    )
    assert [value.name for value in region.constants] == ["w"]


def test_names_of_inner_values_do_not_change_the_text() -> None:
    template = """
    graph region(%x: float32[2]) {{
      %{w} = const float32[2] [1.0, 2.0]
      %{a} = elementwise_add(X=%x, Y=%{w})
      %{b} = relu(X=%{a})
      return y=%{b}
    }}
    """
    texts = {
        text_of(template.format(w="w", a="a", b="b")),
        text_of(template.format(w="weight", a="inner", b="last")),
        text_of(template.format(w="w", a="x#1", b="x#7")),
    }
    assert len(texts) == 1


def test_the_order_of_ops_operands_slots_and_results_changes_the_text() -> None:
    texts = [
        text_of(f"graph region(%x: float32[2], %y: float32[2]) {{ {body} }}")
        for body in (
            "%a = relu(X=%x) %b = tanh(X=%y) return %a, %b",
            "%b = tanh(X=%y) %a = relu(X=%x) return %a, %b",
            "%a = relu(X=%x) %b = tanh(X=%y) return %b, %a",
            "%a = relu(X=%y) %b = tanh(X=%x) return %a, %b",
            "%a = relu(X=%x) %b = tanh(X=%a) return %a, %b",
            "%a = concat(X=[%x, %y]) return %a",
            "%a = concat(X=[%y, %x]) return %a",
            "%a = concat(X=%x, Y=%y) return %a",
            "A=%a, B=%b = split(X=%x) return %a",
            "A=%a, B=%b = split(X=%x) return %b",
        )
    ]
    assert len(set(texts)) == len(texts)


def test_the_order_of_slot_and_attribute_names_does_not_change_the_text() -> None:
    head = "graph region(%x: float32[2], %y: float32[2])"
    assert text_of(f"{head} {{ A=%a, B=%b = op(X=%x, Y=%y) {{p=1, q=2}} return %a, %b }}") == text_of(
        f"{head} {{ B=%b, A=%a = op(Y=%y, X=%x) {{q=2, p=1}} return %a, %b }}"
    )


@pytest.mark.parametrize(
    "values",
    [
        (1, 1.0, True, "1", [1], "true", "[1]", [1.0], [True], 1 + 0j),
        (0.0, -0.0, float("nan"), float("inf"), -float("inf"), "nan", 0, False, ""),
        ([], [0], [[]], "[]", [0, 0], ["a", "b"], ["a, b"], ['a", "b'], "a"),
        (0.1, 0.1 + 2**-56, 2**53, 2**53 + 1, float(2**53)),
    ],
)
def test_attributes_of_another_type_or_value_change_the_text(values: tuple[object, ...]) -> None:
    texts = [RegionText(with_attr(value), Symbols()).text for value in values]
    assert len(set(texts)) == len(texts)
    assert texts == [RegionText(with_attr(value), Symbols()).text for value in values]


def test_a_quoted_attribute_does_not_look_like_two_attributes() -> None:
    one = 'graph region(%x: float32[2]) { %a = op(X=%x) {p="1, \\"q\\": 2"} return %a }'
    two = 'graph region(%x: float32[2]) { %a = op(X=%x) {p="1", q=2} return %a }'
    assert text_of(one) != text_of(two)


def test_types_of_values_change_the_text() -> None:
    texts = [
        text_of(f"graph region(%x: {kind}) {{ %a = relu(X=%x) : {inner} return %a }}")
        for kind, inner in (
            ("float32[2]", "float32[2]"),
            ("float16[2]", "float32[2]"),
            ("float32[2]", "float16[2]"),
            ("float32[2]", "float32[3]"),
            ("float32[2]", "float32[2] lod 1"),
            ("float32[2]", "float32[2] quant([0.5], [3], -1, int8)"),
            ("float32[2]", "float32[2] quant([0.5], [4], -1, int8)"),
            ("float32[2]", "float32[2] @host/float32/nchw"),
            ("float32[2]", "tensor_array float32[2]"),
        )
    ]
    assert len(set(texts)) == len(texts)


def test_names_of_symbolic_sizes_do_not_change_the_text_but_their_equality_does() -> None:
    template = "graph region(%x: float32[{}], %y: float32[{}]) {{ %a = op(X=%x, Y=%y) return %a }}"
    same, renamed = text_of(template.format("n", "n")), text_of(template.format("batch", "batch"))
    other, unknown = text_of(template.format("n", "m")), text_of(template.format("?", "?"))
    assert same == renamed
    assert len({same, other, unknown}) == 3


def test_the_ops_of_a_block_change_the_text() -> None:
    template = """
    graph region(%x: float32[2], %c: bool[1]) {{
      %y = conditional_block(Cond=%c, Input=%x) {{carried=0}}
        graph block1(%x: float32[2]) {{ %{0} = {1}(X=%x) return %{0} }}
      return %y
    }}
    """
    relu, renamed = text_of(template.format("a", "relu")), text_of(template.format("b", "relu"))
    assert relu == renamed
    assert relu != text_of(template.format("a", "tanh"))
    assert '"relu" {"X": [%3]}' in relu
