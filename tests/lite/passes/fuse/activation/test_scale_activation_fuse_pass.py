"""An activation after a scale is fused."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.activations import ACTIVATIONS
from tests.lite.passes.fuse.equal import check_fused

PASS = "scale_activation_fuse_pass"


def test_attributes_of_the_activation_move_to_the_scale() -> None:
    check(
        PASS,
        """
        graph main(%x: float32[2]) {
          %a = scale(X=%x) {scale=2.0, bias=1.0, bias_after_scale=false} : float32[2]
          %y = relu6(X=%a) {threshold=4.0} : float32[2]
          %z = tanh(X=%y) : float32[2]
          return out=%z
        }
        """,
        """
        graph main(%x: float32[2]) {
          %y = scale(X=%x) {scale=2.0, bias=2.0, activation="relu6", activation_params=[4.0]} : float32[2]
          %z = tanh(X=%y) : float32[2]
          return out=%z
        }
        """,
    )


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_activation_is_fused(activation: str) -> None:
    check_fused(
        PASS,
        f"""
        graph main(%a: float32[3,4]) {{
          %x = scale(X=%a) {{scale=1.5, bias=-0.25}} : float32[3,4]
          %y = {activation} : float32[3,4]
          return %y
        }}
        """,
        ["scale"],
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return %y", "return %y, %a"),
        ("return %y", "%z = tanh(X=%a)\nreturn %y, %z"),
        ("relu(X=%a)", "exp(X=%a)"),
        ("relu(X=%a) : float32[2]", "relu(X=%a) : float32[2] quant([0.5], [0], -1, int8)"),
        ("scale=2.0", 'scale=2.0, activation="tanh"'),
        ("X=%x)", "X=%x, ScaleTensor=%s)"),
        ("float32[2]", "int32[2]"),
    ],
)
def test_other_scales_are_not_fused(old: str, new: str) -> None:
    text = """
        graph main(%x: float32[2], %s: float32[1]) {
          %a = scale(X=%x) {scale=2.0, bias=1.0} : float32[2]
          %y = relu(X=%a) : float32[2]
          return %y
        }
        """

    assert old in text
    check_unchanged(PASS, text.replace(old, new))
