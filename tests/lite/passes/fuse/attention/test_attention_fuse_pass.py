"""The ops of attention become one op."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "attention_fuse_pass"

CORE = """
graph main(%q: float32[?,4,6,8], %k: float32[?,4,5,8], %v: float32[?,4,5,8], %m: float32[?,1,1,5]) {
  %a = scale(X=%q) {scale=0.25} : float32[?,4,6,8]
  %b = matmul_v2(X=%a, Y=%k) {trans_y=true} : float32[?,4,6,5]
  %c = elementwise_add(X=%b, Y=%m) : float32[?,4,6,5]
  %d = softmax(X=%c) {axis=-1} : float32[?,4,6,5]
  %y = matmul_v2(X=%d, Y=%v) : float32[?,4,6,8]
  return out=%y
}
"""

HEADS = """
graph main(%q: float32[?,?,32], %k: float32[?,?,32], %v: float32[?,?,32]) {
  %q4 = reshape2(X=%q) {shape=[0, 0, 4, 8]} : float32[?,?,4,8]
  %qt = transpose2(X=%q4) {axis=[0, 2, 1, 3]} : float32[?,4,?,8]
  %k4 = reshape2(X=%k) {shape=[0, -1, 4, 8]} : float32[?,?,4,8]
  %kt = transpose2(X=%k4) {axis=[0, 2, 1, 3]} : float32[?,4,?,8]
  %v4 = reshape2(X=%v) {shape=[0, 0, 4, 8]} : float32[?,?,4,8]
  %vt = transpose2(X=%v4) {axis=[0, 2, 1, 3]} : float32[?,4,?,8]
  %b = matmul_v2(X=%qt, Y=%kt) {trans_y=true} : float32[?,4,?,?]
  %s = scale(X=%b) {scale=0.5} : float32[?,4,?,?]
  %d = softmax(X=%s) {axis=3} : float32[?,4,?,?]
  %o = matmul_v2(X=%d, Y=%vt) : float32[?,4,?,8]
  %t = transpose2(X=%o) {axis=[0, 2, 1, 3]} : float32[?,?,4,8]
  %y = reshape2(X=%t) {shape=[0, 0, 32]} : float32[?,?,32]
  return out=%y
}
"""

PACKED = """
graph main(%x: float32[?,?,96], %w: float32[?,4,?,8], %m: float32[?,?]) {
  %r = reshape2(X=%x) {shape=[0, -1, 3, 4, 8]} : float32[?,?,3,4,8]
  %t = transpose2(X=%r) {axis=[2, 0, 3, 1, 4]} : float32[3,?,4,?,8]
  %q = slice(Input=%t) {axes=[0], starts=[0], ends=[1], decrease_axis=[0]} : float32[?,4,?,8]
  %k = slice(Input=%t) {axes=[0], starts=[1], ends=[2], decrease_axis=[0]} : float32[?,4,?,8]
  %v = slice(Input=%t) {axes=[0], starts=[2], ends=[3], decrease_axis=[0]} : float32[?,4,?,8]
  %a = scale(X=%q) {scale=0.25} : float32[?,4,?,8]
  %b = matmul_v2(X=%a, Y=%k) {trans_y=true} : float32[?,4,?,?]
  %c = elementwise_add(X=%m, Y=%b) : float32[?,4,?,?]
  %d = softmax(X=%c) {axis=-1} : float32[?,4,?,?]
  %o = matmul_v2(X=%d, Y=%v) : float32[?,4,?,8]
  %p = transpose2(X=%o) {axis=[0, 2, 1, 3]} : float32[?,?,4,8]
  %y = reshape2(X=%p) {shape=[0, 0, 32]} : float32[?,?,32]
  return out=%y
}
"""

CLEARED = """
graph main(%q: float32[?,4,3,8], %k: float32[?,4,2,8], %v: float32[?,4,2,8]) {
  %m = const float32[3,2] [-inf, 1.0, -inf, -inf, 0.5, 0.25]
  %zero = const float32[] [0.0]
  %b = matmul_v2(X=%q, Y=%k) {trans_y=true} : float32[?,4,3,2]
  %c = elementwise_add(X=%b, Y=%m) : float32[?,4,3,2]
  %d = softmax(X=%c) {axis=-1} : float32[?,4,3,2]
  %n = isnan_v2(X=%d) : bool[?,4,3,2]
  %z = where(Condition=%n, X=%zero, Y=%d) : float32[?,4,3,2]
  %y = matmul_v2(X=%z, Y=%v) : float32[?,4,3,8]
  return out=%y
}
"""


def test_attention_of_matrices_is_fused() -> None:
    check(
        PASS,
        CORE,
        """
        graph main(%q: float32[?,4,6,8], %k: float32[?,4,5,8], %v: float32[?,4,5,8], %m: float32[?,1,1,5]) {
          %y = fused_attention(Q=%q, K=%k, V=%v, Mask=%m) {scale=0.25} : float32[?,4,6,8]
          return out=%y
        }
        """,
    )


def test_attention_with_heads_is_fused() -> None:
    check(
        PASS,
        HEADS,
        """
        graph main(%q: float32[?,?,32], %k: float32[?,?,32], %v: float32[?,?,32]) {
          %y = fused_attention(Q=%q, K=%k, V=%v) {scale=0.5, head_number=4} : float32[?,?,32]
          return out=%y
        }
        """,
    )


def test_attention_with_heads_split_from_one_tensor_is_fused() -> None:
    check(
        PASS,
        PACKED,
        """
        graph main(%x: float32[?,?,96], %w: float32[?,4,?,8], %m: float32[?,?]) {
          %y = fused_qkv_attention(QKV=%x, Mask=%m) {scale=0.25, head_number=4} : float32[?,?,32]
          return out=%y
        }
        """,
    )


def test_rows_without_an_unmasked_column_stay_0() -> None:
    check(
        PASS,
        CLEARED,
        """
        graph main(%q: float32[?,4,3,8], %k: float32[?,4,2,8], %v: float32[?,4,2,8]) {
          %m = const float32[3,2] [-inf, 1.0, -inf, -inf, 0.5, 0.25]
          %zero = const float32[] [0.0]
          %y = fused_attention(Q=%q, K=%k, V=%v, Mask=%m) {scale=1.0, nan_as_zero=true} : float32[?,4,3,8]
          return out=%y
        }
        """,
    )
    check_fused(PASS, CLEARED, ["fused_attention"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[0.0]", "[0.5]"),
        ("X=%zero, Y=%d", "X=%d, Y=%zero"),
        ("isnan_v2(X=%d)", "isnan_v2(X=%c)"),
        ("return out=%y", "return out=%y, %d"),
        ("return out=%y", "return out=%y, %n"),
        ("return out=%y", "return out=%y, %z"),
    ],
)
def test_other_replacements_are_not_fused(old: str, new: str) -> None:
    assert old in CLEARED
    check_unchanged(PASS, CLEARED.replace(old, new))


def sized(text: str) -> str:
    """`text` for a batch of 3 and 7 rows."""
    return (
        text.replace("%m: float32[?,?]", "%m: float32[7,7]").replace("?,?", "3,7").replace("?,4,?", "3,4,7")
    )


@pytest.mark.parametrize("text", [CORE, HEADS, PACKED])
def test_fused_graph_computes_the_same(text: str) -> None:
    check_fused(PASS, sized(text), ["fused_qkv_attention" if text is PACKED else "fused_attention"])


@pytest.mark.parametrize(
    ("old", "new", "ops"),
    [
        ("X=%b, Y=%m", "X=%m, Y=%b", ["fused_attention"]),
        ("Y=%m)", "Y=%m) {axis=0}", ["fused_attention"]),
        ("%a = scale(X=%q)", "%a = scale(X=%k)", None),
        ("%c = elementwise_add(X=%b, Y=%m)", "%c = scale(X=%b) {scale=2.0}", ["fused_attention"]),
        ("%a = scale(X=%q) {scale=0.25}", "%a = relu(X=%q)", ["relu", "fused_attention"]),
        ("%a = scale(X=%q) {scale=0.25}", "%a = scale(X=%q) {bias=0.25}", ["scale", "fused_attention"]),
    ],
)
def test_every_order_of_operands_is_fused(old: str, new: str, ops: list[str] | None) -> None:
    assert old in CORE
    text = CORE.replace(old, new) if ops else CORE.replace("4,6,", "4,5,").replace(old, new)
    check_fused(PASS, text, ops or ["fused_attention"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%y", "return out=%y, %t"),
        ("[0, 0, 32]} : float32[?,?,32]", "[0, 4, 56]} : float32[3,4,56]"),
    ],
)
def test_heads_without_a_common_source_are_split_before_fused_attention(old: str, new: str) -> None:
    assert old in HEADS
    cut = ["reshape2", "transpose2"] * 3
    check_fused(PASS, sized(HEADS.replace(old, new)), [*cut, "fused_attention", "transpose2", "reshape2"])


@pytest.mark.parametrize(
    ("old", "new"),
    [("starts=[1], ends=[2]", "starts=[2], ends=[3]"), ("Y=%v)", "Y=%w)")],
)
def test_parts_in_another_order_are_split_before_fused_attention(old: str, new: str) -> None:
    assert old in PACKED
    text = sized(PACKED.replace(old, new))
    cut = ["reshape2", "transpose2", "slice", "slice", "slice"]
    check_fused(PASS, text, [*cut, "fused_attention", "transpose2", "reshape2"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%y", "return out=%y, %d"),
        ("return out=%y", "%z = relu(X=%b)\nreturn out=%y, %z"),
        ("{axis=-1}", "{axis=1}"),
        ("{trans_y=true}", "{trans_x=true}"),
        ("Y=%v)", "Y=%v) {trans_y=true}"),
        ("Y=%m)", "Y=%m) {axis=1}"),
        ("matmul_v2(X=%a, Y=%k) {trans_y=true}", "elementwise_mul(X=%a, Y=%k)"),
        ("{axis=-1} : float32[?,4,6,5]", "{axis=-1} : float32[?,4,6,5] quant([0.5], [0], -1, int8)"),
    ],
)
def test_other_formulas_are_not_fused(old: str, new: str) -> None:
    assert old in CORE
    text = (
        CORE.replace("%m: float32[?,1,1,5]", "%m: float32[4,6,5]")
        if "axis=1}" in new and "%m" in old
        else CORE
    )
    check_unchanged(PASS, text.replace(old, new))
