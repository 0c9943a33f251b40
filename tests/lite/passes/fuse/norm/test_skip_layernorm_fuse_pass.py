"""layer_norm of a sum becomes skip_layernorm."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "skip_layernorm_fuse_pass"

TEXT = """
graph main(%x: float32[2,3,4], %r: float32[2,3,4], %v: float32[3,4], %h: float16[2,3,4]) {
  %w = const float32[4] [1.0, 2.0, 3.0, 4.0]
  %s = elementwise_add(X=%x, Y=%r) : float32[2,3,4]
  Y=%y = layer_norm(X=%s, Scale=%w) {epsilon=0.25, begin_norm_axis=2} : float32[2,3,4]
  return out=%y
}
"""


def test_sum_and_norm_become_skip_layernorm() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%x: float32[2,3,4], %r: float32[2,3,4], %v: float32[3,4], %h: float16[2,3,4]) {
          %w = const float32[4] [1.0, 2.0, 3.0, 4.0]
          %y = skip_layernorm(X=%x, Y=%r, Scale=%w) {epsilon=0.25, begin_norm_axis=2} : float32[2,3,4]
          return out=%y
        }
        """,
    )


@pytest.mark.parametrize("other", ["%r", "%v", "%w"])
@pytest.mark.parametrize("bias", ["", ", Bias=%w"])
def test_fused_graph_computes_the_same(other: str, bias: str) -> None:
    text = TEXT.replace("Y=%r", f"Y={other}").replace("Scale=%w", f"Scale=%w{bias}")
    check_fused(PASS, text, ["skip_layernorm"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%y", "return out=%y, %s"),
        ("return out=%y", "%z = relu(X=%s)\nreturn out=%y, %z"),
        ("X=%x, Y=%r)", "X=%v, Y=%x)"),
        ("X=%x, Y=%r)", "X=%x, Y=%h)"),
        ("elementwise_add", "elementwise_sub"),
        ("begin_norm_axis=2", "begin_norm_axis=0"),
        ("Y=%r) : float32[2,3,4]", "Y=%r) : float32[2,3,4] quant([0.5], [0], -1, int8)"),
    ],
)
def test_other_graphs_are_not_fused(old: str, new: str) -> None:
    assert old in TEXT
    check_unchanged(PASS, TEXT.replace(old, new))


def test_a_norm_whose_mean_is_read_is_not_fused() -> None:
    text = TEXT.replace("Y=%y =", "Y=%y, Mean=%m, Variance=%q =").replace(
        "2} : float32[2,3,4]", "2} : float32[2,3,4], float32[6], float32[6]"
    )
    check_unchanged(PASS, text)


def test_a_sum_along_another_axis_is_not_fused() -> None:
    check_unchanged(
        PASS, TEXT.replace("%v: float32[3,4]", "%v: float32[2,3]").replace("Y=%r)", "Y=%v) {axis=0}")
    )
