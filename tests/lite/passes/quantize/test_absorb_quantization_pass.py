"""Pairs that round become quantised values; everything else stays."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.graph import Graph
from lite.ir.text import parse_graph, print_graph
from tests.lite.passes.check import check, check_unchanged, run_pass

PASS = "absorb_quantization_pass"

PAIR = """
graph main(%x: float32[2,3]) {
  %s = const float32[] [0.5]
  %z = const uint8[] [3]
  %a = relu(X=%x) : float32[2,3]
  %q = affine_quantize(X=%a, Scale=%s, ZeroPoint=%z) {axis=1, block_size=0, dtype=20} : uint8[2,3]
  %d = affine_dequantize(X=%q, Scale=%s, ZeroPoint=%z) {axis=1, block_size=0, dtype=-1} : float32[2,3]
  %y = sigmoid(X=%d) : float32[2,3]
  return %y
}
"""


def changed(text: str) -> Graph:
    graph = parse_graph(text)
    assert run_pass(PASS, graph)
    return graph


def test_a_pair_makes_the_value_quantised() -> None:
    check(
        PASS,
        PAIR,
        """
graph main(%x: float32[2,3]) {
  %a = relu(X=%x) : float32[2,3] quant([0.5], [3], -1, uint8)
  %y = sigmoid(X=%a) : float32[2,3]
  return %y
}
""",
    )


@pytest.mark.parametrize(
    ("old", "new", "source"),
    [
        ("%a = relu(X=%x) : float32[2,3]\n", "", "x"),
        ("return %y", "return %y, %a", "a"),
        ("%y = sigmoid(X=%d)", "%y = elementwise_add(X=%d, Y=%a)", "a"),
    ],
    ids=["argument", "result", "other_reader"],
)
def test_a_value_that_others_know_is_copied(old: str, new: str, source: str) -> None:
    graph = changed(PAIR.replace(old, new).replace("X=%a" if source == "x" else "\0", "X=%x"))

    text = print_graph(graph)
    assert f"%d = assign(X=%{source}) : float32[2,3] quant([0.5], [3], -1, uint8)" in text
    assert "affine" not in text


def test_integers_that_other_ops_read_stay() -> None:
    graph = changed(PAIR.replace("return %y", "return %y, %q"))

    assert [node.op for node in graph] == ["relu", "affine_quantize", "sigmoid"]
    assert "relu(X=%x) : float32[2,3] quant([0.5], [3], -1, uint8)" in print_graph(graph)


DEQUANTIZED = (
    "  %d = affine_dequantize(X=%q, Scale=%s, ZeroPoint=%z) {axis=1, block_size=0, dtype=-1} : float32[2,3]\n"
)
CAST = "  %d = cast(X=%q) {in_dtype=20, out_dtype=5} : float32[2,3]\n"
COMPUTED = "graph main(%x: float32[2,3], %s: float32[]) {"


@pytest.mark.parametrize(
    "text",
    [
        PAIR.replace(DEQUANTIZED, DEQUANTIZED.replace("Scale=%s", "Scale=%t")).replace(
            "  %z =", "  %t = const float32[] [0.25]\n  %z ="
        ),
        PAIR.replace("graph main(%x: float32[2,3]) {\n  %s = const float32[] [0.5]", COMPUTED),
        PAIR.replace("[0.5]", "[0.0]"),
        PAIR.replace("[0.5]", "[inf]"),
        PAIR.replace("float32", "bfloat16"),
        PAIR.replace(DEQUANTIZED, CAST),
    ],
    ids=["other_scale", "computed_scale", "zero", "infinite", "bfloat16", "no_pair"],
)
def test_other_ops_stay(text: str) -> None:
    check_unchanged(PASS, text)


def test_a_constant_keeps_its_integers() -> None:
    text = """
graph main(%x: float32[2,2]) {
  %w = const int8[2,2] [1, -2, 3, 127]
  %s = const float32[2] [0.5, 0.25]
  %d = affine_dequantize(X=%w, Scale=%s) {axis=-2, block_size=0, dtype=-1} : float32[2,2]
  %y = elementwise_add(X=%x, Y=%d) : float32[2,2]
  return %y
}
"""
    graph = parse_graph(text)
    integers = graph.constants["w"].data

    assert run_pass(PASS, graph)

    [constant] = graph.constants.values()
    assert constant.data is integers
    assert "float32[2,2] quant([0.5, 0.25], [0, 0], 0, int8)" in print_graph(graph)


def test_a_constant_that_is_quantised_becomes_integers() -> None:
    graph = changed(PAIR.replace("graph main(%x: float32[2,3]) {", "graph main() {").replace(
        "%a = relu(X=%x) : float32[2,3]", "%a = const float32[2,3] [0.0, 0.25, 0.75, 1.0, -9.0, 999.0]"
    ))  # fmt: skip

    [constant] = graph.constants.values()
    assert constant.data is not None
    np.testing.assert_array_equal(constant.data, np.array([[3, 3, 5], [5, 0, 255]], np.uint8))


@pytest.mark.parametrize(("round_type", "rounding"), [(0, "abs_max"), (1, "abs_max_away")])
def test_operators_of_paddle_keep_their_rounding(round_type: int, rounding: str) -> None:
    graph = changed(f"""
graph main(%x: float32[2,3]) {{
  %s = const float32[1] [12.7]
  %a = relu(X=%x) : float32[2,3]
  Y=%q = quantize_linear(X=%a, Scale=%s) {{quant_axis=-1, round_type={round_type}}} : float32[2,3]
  Y=%d = dequantize_linear(X=%q, Scale=%s) {{quant_axis=-1}} : float32[2,3]
  %y = sigmoid(X=%d) : float32[2,3]
  return %y
}}
""")

    [quant] = [value.quant for node in graph for value in node.all_outputs() if value.quant]
    assert (quant.rounding.value, str(quant.storage), quant.axis) == (rounding, "int8", -1)
    np.testing.assert_allclose(quant.scale, [0.1], rtol=1e-7)


def test_floats_that_are_no_integers_stay() -> None:
    check_unchanged(
        PASS,
        """
graph main(%x: float32[2]) {
  %w = const float32[2] [1.0, 2.5]
  %s = const float32[1] [1.0]
  Y=%d = dequantize_linear(X=%w, Scale=%s) {quant_axis=-1} : float32[2]
  %y = elementwise_add(X=%x, Y=%d) : float32[2]
  return %y
}
""",
    )
