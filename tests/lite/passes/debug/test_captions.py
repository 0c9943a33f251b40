"""Texts of pictures."""

from __future__ import annotations

from lite.ir.text import parse_graph
from lite.passes.debug.captions import (
    count_lines,
    group_title,
    op_lines,
    op_title,
    printable,
    short_type,
    value_name,
    value_title,
)

GRAPH = parse_graph(
    """
    graph main(%x: float32[?,2]) {
      %w = const float32[2] [1.0, 2.0]
      %x#1 = scale(X=%x) {scale=2.0, bias=0.0, use_mkldnn=false} @host/any/any : float32[?,2]
      %y = own_op(X=%x#1, Y=%w) {text="a\\nb", bias=0.0}
      return out=%y, %w
    }
    """
)
SCALE, OWN = list(GRAPH)


def test_default_attributes_are_left_out() -> None:
    assert op_lines(SCALE, attributes=True) == ("scale", "@host/any/any", "scale=2.0")
    assert op_lines(SCALE, attributes=False) == ("scale", "@host/any/any")


def test_all_attributes_of_an_op_without_schema_are_shown() -> None:
    assert op_lines(OWN, attributes=True) == ("own_op", "text='a\\nb'", "bias=0.0")


def test_long_attribute_loses_its_end() -> None:
    OWN.attrs["many"] = [1] * 30
    assert op_lines(OWN, attributes=True)[-1] == f"many=[{'1, ' * 11}1…"
    del OWN.attrs["many"]


def test_tooltips_list_types_data_and_results() -> None:
    assert op_title(SCALE).splitlines() == [
        "scale %x#1",
        "scale=2.0",
        "bias=0.0",
        "use_mkldnn=False",
        "X < %x: float32[?,2]",
        "Out > %x#1: float32[?,2]",
    ]
    assert value_title(SCALE.output()) == "%x#1: float32[?,2]"
    assert value_title(GRAPH.constants["w"]) == "%w: float32[2]\n[1.0, 2.0]\nresult w"
    assert value_title(OWN.output()) == "%y: ?[*]\nresult out"
    assert group_title(GRAPH) == "scale %x#1\nown_op %y"


def test_long_name_loses_its_middle() -> None:
    assert (value_name(SCALE.output()), short_type(SCALE.output())) == ("x#1", "float32[?,2]")
    assert short_type(OWN.output()) == "?[*]"
    long = GRAPH.new_value("a" * 30 + "b" * 30)
    assert value_name(long) == "a" * 19 + "…" + "b" * 20


def test_characters_that_xml_forbids_are_replaced() -> None:
    assert printable("a\x00b\nc\ud800<é漢>") == "a\ufffdb\ufffdc\ufffd<é漢>"


def test_counts_include_nested_blocks() -> None:
    graph = parse_graph(
        """
        graph main(%c: bool[1], %x: float32[1]) {
          %y = conditional_block(Cond=%c, Input=%x) {carried=0}
            graph block1(%x: float32[1]) {
              %a = relu(X=%x)
              %b = relu(X=%a)
              return y=%b
            }
          return %y
        }
        """
    )
    assert count_lines(graph) == ("3 ops", "2 × relu", "1 × conditional_block")
    assert count_lines([SCALE]) == ("1 op", "1 × scale")


def test_count_lines_end_with_the_number_of_further_types() -> None:
    ops = "\n".join(f"%v{number} = op{number}(X=%x)" for number in range(10))
    graph = parse_graph(f"graph main(%x: float32[1]) {{ {ops} return %v0 }}")
    assert count_lines(graph)[-2:] == ("1 × op7", "… 2 more types")
