"""prelu after fc is fused."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "fc_prelu_fuse_pass"

TEXT = """
graph main(%a: float32[2,2], %r: float32[2]) {
  %w = const float32[2,2] [1.0, 2.0, 3.0, 4.0]
  %s = const float32[2] [0.5, 0.25]
  %x = fc(Input=%a, W=%w) : float32[2,2]
  %y = prelu(X=%x, Alpha=%s) {mode="channel"} : float32[2,2]
  return out=%y
}
"""


def test_slopes_become_an_input() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%a: float32[2,2], %r: float32[2]) {
          %w = const float32[2,2] [1.0, 2.0, 3.0, 4.0]
          %s = const float32[2] [0.5, 0.25]
          %y = fc(Input=%a, W=%w, Alpha=%s) {activation="prelu", prelu_mode="channel"} : float32[2,2]
          return out=%y
        }
        """,
    )


@pytest.mark.parametrize(
    ("mode", "slopes"), [("all", "1"), ("channel", "3"), ("element", "3"), ("element", "1,3")]
)
def test_every_mode_of_prelu_is_fused(mode: str, slopes: str) -> None:
    check_fused(
        PASS,
        f"""
        graph main(%a: float32[?,4]) {{
          %w = const float32[4,3] random(1)
          %b = const float32[3] random(2)
          %s = const float32[{slopes}] random(3)
          %x = fc(Input=%a, W=%w, Bias=%b) : float32[?,3]
          %y = prelu(X=%x, Alpha=%s) {{mode="{mode}"}} : float32[?,3]
          return %y
        }}
        """,
        ["fc"],
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%y", "return out=%y, %x"),
        ("Alpha=%s", "Alpha=%r"),
        ('mode="channel"', 'mode="channel", data_format="NHWC"'),
        ("W=%w)", 'W=%w) {activation="relu"}'),
        ('"channel"} : float32[2,2]', '"channel"} : float32[2,2] quant([0.5], [0], -1, int8)'),
    ],
)
def test_other_slopes_and_users_prevent_the_fusion(old: str, new: str) -> None:
    text = TEXT.replace("return out=%y", "%held = no_such_op(X=%s)\n  return out=%y, %held")

    assert old in TEXT
    check_unchanged(PASS, text.replace(old, new) if "return" not in old else TEXT.replace(old, new))
