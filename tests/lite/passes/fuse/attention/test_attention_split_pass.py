"""Past keys and values, and boolean masks, become ops of their own."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "attention_split_pass"

COUNTS = "q_num_heads=4, kv_num_heads=2"


@pytest.mark.parametrize("causal", ["true", "false"])
@pytest.mark.parametrize("mode", ["", ", left_window_size=2", ", softcap=1.5"])
def test_past_of_heads_in_rows(causal: str, mode: str) -> None:
    text = f"""
    graph main(%q: float32[?,3,32], %k: float32[?,3,16], %v: float32[?,3,6], %m: float32[?,1,3,8],
               %pk: float32[?,2,5,8], %pv: float32[?,2,5,3]) {{
      %y, PresentKey=%ks, PresentValue=%vs = attention(Q=%q, K=%k, V=%v, Mask=%m, PastKey=%pk, PastValue=%pv)
        {{{COUNTS}, is_causal={causal}{mode}}} : float32[?,3,12], float32[?,2,8,8], float32[?,2,8,3]
      return y=%y, ks=%ks, vs=%vs
    }}
    """

    graph = check_fused(PASS, text, ["reshape2", "transpose2", "concat"] * 2 + ["attention"])

    [*_, node] = graph
    assert node.attrs["causal_lower_right"] is True
    assert [value.shape for value in graph.results] == [("?", 3, 12), ("?", 2, 8, 8), ("?", 2, 8, 3)]


def test_past_of_heads_as_an_axis() -> None:
    text = """
    graph main(%q: float32[?,4,1,8], %k: float32[?,4,1,8], %v: float32[?,4,1,8], %p: float32[?,4,n,8]) {
      %y = attention(Q=%q, K=%k, V=%v, PastKey=%p, PastValue=%p) {is_causal=true} : float32[?,4,1,8]
      return y=%y
    }
    """

    check_fused(PASS, text, ["concat", "concat", "attention"])


def test_boolean_mask() -> None:
    text = """
    graph main(%q: float32[?,4,3,8], %k: float32[?,4,5,8], %m: float32[3,5]) {
      %b = cast(X=%m) {in_dtype=5, out_dtype=0} : bool[3,5]
      %y = attention(Q=%q, K=%k, V=%k, Mask=%b) : float32[?,4,3,8]
      return y=%y
    }
    """

    check_fused(PASS, text, ["cast", "where", "attention"])


POSITIONS = """
graph main(%q: float32[?,4,{rows},8], %k: float32[?,4,{keys},8], %p: float32[?,4,5,8]) {{
  %y = attention(Q=%q, K=%k, V=%k, PastKey=%p, PastValue=%p) {{{attrs}}} : float32[?,4,{rows},8]
  return y=%y
}}
"""


@pytest.mark.parametrize("sizes", [("3", "1"), ("?", "?"), ("r", "k"), ("?", "1")])
@pytest.mark.parametrize("attrs", ["is_causal=true", "left_window_size=2", "right_window_size=1"])
def test_the_past_stays_where_the_new_keys_may_not_be_those_of_the_queries(
    sizes: tuple[str, str], attrs: str
) -> None:
    check_unchanged(PASS, POSITIONS.format(rows=sizes[0], keys=sizes[1], attrs=attrs))


def test_rows_of_one_unknown_size() -> None:
    text = """
    graph main(%x: float32[?,4,?,24], %p: float32[?,4,5,8]) {
      %q, %k, %v = split(X=%x) {axis=3, num=3} : float32[?,4,?,8], float32[?,4,?,8], float32[?,4,?,8]
      %y = attention(Q=%q, K=%k, V=%v, PastKey=%p, PastValue=%p) {is_causal=true} : float32[?,4,?,8]
      return y=%y
    }
    """

    check_fused(PASS, text, ["split", "concat", "concat", "attention"])


def test_other_attention_stays() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%q: float32[?,4,3,8], %m: float32[3,3], %n: int64[?]) {
          %y = attention(Q=%q, K=%q, V=%q, Mask=%m, KeyLengths=%n) {is_causal=true} : float32[?,4,3,8]
          return y=%y
        }
        """,
    )
