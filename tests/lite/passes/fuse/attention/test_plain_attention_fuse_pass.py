"""ONNX's attention becomes fused_attention where that does the same."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "plain_attention_fuse_pass"

ROWS = "%q: float32[?,6,32], %k: float32[?,5,32], %v: float32[?,5,24], %m: float32[?,1,6,5]"
HEADS = "%q: float32[?,4,6,8], %k: float32[?,4,6,8], %v: float32[?,4,6,3]"
COUNTS = "q_num_heads=4, kv_num_heads=4"


def rows(inputs: str = ", Mask=%m", attributes: str = COUNTS, outputs: str = "%y") -> str:
    """Attention with heads in the rows of its operands."""
    return f"""
    graph main({ROWS}, %p: float32[?,4,2,8], %n: int64[?]) {{
      {outputs} = attention(Q=%q, K=%k, V=%v{inputs}) {{{attributes}}} : float32[?,6,24]
      return out=%y
    }}
    """


@pytest.mark.parametrize("mask", [", Mask=%m", ""])
def test_heads_in_rows(mask: str) -> None:
    [node] = check_fused(PASS, rows(mask), ["fused_attention"])

    assert node.attrs == {"scale": 8**-0.5, "head_number": 4, "nan_as_zero": bool(mask)}


@pytest.mark.parametrize("causal", ["true", "false"])
def test_heads_as_an_axis(causal: str) -> None:
    text = f"""
    graph main({HEADS}) {{
      %y = attention(Q=%q, K=%k, V=%v) {{scale=0.75, is_causal={causal}}} : float32[?,4,6,3]
      return out=%y
    }}
    """

    [node] = check_fused(PASS, text, ["fused_attention"])

    assert node.attrs == {"scale": 0.75, "head_number": 0, "nan_as_zero": False}


@pytest.mark.parametrize(
    ("sizes", "op"), [("8, 8, 8", "fused_qkv_attention"), ("8, 8, 4", "fused_attention")]
)
def test_parts_of_one_tensor(sizes: str, op: str) -> None:
    width = sizes.split(", ")[-1]
    text = f"""
    graph main(%x: float32[?,6,{16 + int(width)}]) {{
      %q, %k, %v = split(X=%x) {{axis=2, sections=[{sizes}]}}
        : float32[?,6,8], float32[?,6,8], float32[?,6,{width}]
      %y = attention(Q=%q, K=%k, V=%v) {{q_num_heads=2, kv_num_heads=2}} : float32[?,6,{width}]
      return out=%y
    }}
    """

    check_fused(PASS, text, [op] if op == "fused_qkv_attention" else ["split", op])


@pytest.mark.parametrize(
    "text",
    [
        rows(", PastKey=%p, PastValue=%p"),
        rows(", KeyLengths=%n"),
        rows(attributes=f"{COUNTS}, softcap=2.0"),
        rows(attributes=f"{COUNTS}, left_window_size=1"),
        rows(attributes=f"{COUNTS}, is_causal=true"),
        rows(attributes="q_num_heads=4, kv_num_heads=2"),
        rows().replace("%m: float32[?,1,6,5]", "%m: float32[?,1,6,4]"),
        rows().replace("%m: float32[?,1,6,5]", "%m: float32[?,1,6,?]"),
        rows().replace("%m: float32[?,1,6,5]", "%m: bool[?,1,6,5]"),
        rows().replace("%q: float32[?,6,32], %k: float32[?,5,32]", "%q: float32[?,6,?], %k: float32[?,5,?]"),
    ],
    ids=["past", "lengths", "cap", "window", "causal mask", "shared", "short", "open", "boolean", "depth"],
)
def test_other_attention_stays(text: str) -> None:
    check_unchanged(PASS, text)
