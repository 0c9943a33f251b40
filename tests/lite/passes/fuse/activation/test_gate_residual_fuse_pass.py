"""An image added to its gated self becomes one product."""

from __future__ import annotations

import pytest

from lite.ir.text import parse_graph
from tests.lite.passes.check import check, check_unchanged, run_pass
from tests.lite.passes.fuse.equal import check_fused

PASS = "gate_residual_fuse_pass"


def test_the_gate_is_incremented_by_one() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[?,2,?,?], %g: float32[?,2,1,1]) {
          %p = elementwise_mul(X=%x, Y=%g) {axis=-1} : float32[?,2,?,?]
          %y = elementwise_add(X=%x, Y=%p) {axis=-1} : float32[?,2,?,?]
          return out=%y
        }
        """,
        """
        graph main(%x: float32[?,2,?,?], %g: float32[?,2,1,1]) {
          %g_open = scale(X=%g) {scale=1.0, bias=1.0} : float32[?,2,1,1]
          %y = elementwise_mul(X=%x, Y=%g_open) {axis=-1, scale=1.0} : float32[?,2,?,?]
          return out=%y
        }
        """,
    )


@pytest.mark.parametrize("gate", ["2,3,1,1", "1,3,1,1", "2,1,1,5"])
@pytest.mark.parametrize("product", ["X=%x, Y=%g", "X=%g, Y=%x"])
@pytest.mark.parametrize("total", ["X=%x, Y=%p", "X=%p, Y=%x"])
@pytest.mark.parametrize("attrs", ["", "{scale=0.5}"])
def test_fused_graph_computes_the_same(gate: str, product: str, total: str, attrs: str) -> None:
    check_fused(
        PASS,
        f"""
        graph main(%x: float32[2,3,4,5], %g: float32[{gate}]) {{
          %p = elementwise_mul({product}) {attrs} : float32[2,3,4,5]
          %y = elementwise_add({total}) : float32[2,3,4,5]
          return %y
        }}
        """,
        ["scale", "elementwise_mul"],
    )


FIRES = """
graph main(%x: float32[2,3,4,5], %g: float32[2,3,1,1], %z: float32[2,3,4,5]) {
  %p = elementwise_mul(X=%x, Y=%g) {axis=-1} : float32[2,3,4,5]
  %y = elementwise_add(X=%x, Y=%p) {axis=-1} : float32[2,3,4,5]
  return %y
}
"""


def test_unchanged_text_is_fused() -> None:
    graph = parse_graph(FIRES)

    assert run_pass(PASS, graph)
    assert [node.op for node in graph] == ["scale", "elementwise_mul"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("elementwise_add(X=%x", "elementwise_add(X=%z"),
        ("elementwise_mul(X=%x, Y=%g)", "elementwise_mul(X=%x, Y=%z)"),
        ("elementwise_mul(X=%x, Y=%g)", "elementwise_mul(X=%x, Y=%x)"),
        ("elementwise_add(X=%x, Y=%p)", "elementwise_add(X=%p, Y=%p)"),
        ("elementwise_add", "elementwise_sub"),
        ("elementwise_mul(X=%x, Y=%g) {axis=-1}", "elementwise_mul(X=%x, Y=%g) {bias=1.0}"),
        ("%g: float32[2,3,1,1]", "%g: float32[2,3,?,?]"),
        ("%g: float32[2,3,1,1]", "%g: float32[3,1,1]"),
        ("%g: float32[2,3,1,1]", "%g: float64[2,3,1,1]"),
        ("return %y", "return %y, %p"),
        ("return %y", "%u = relu(X=%p) return %y, %u"),
        ("%p = elementwise_mul(X=%x, Y=%g) {axis=-1} : float32[2,3,4,5]", "%p = QUANT"),
    ],
)
def test_graphs_with_one_change_are_not_fused(old: str, new: str) -> None:
    quantised = "elementwise_mul(X=%x, Y=%g) : float32[2,3,4,5] quant([0.5], [0], -1, int8)"
    text = FIRES.replace(old, new.replace("QUANT", quantised))

    assert text != FIRES
    check_unchanged(PASS, text)
