"""An activation after arithmetic of two tensors is fused."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.activations import ACTIVATIONS
from tests.lite.passes.fuse.equal import check_fused

PASS = "elementwise_activation_fuse_pass"

TEXT = """
graph main(%a: float32[2,3], %b: float32[3]) {
  %x = elementwise_add(X=%a, Y=%b) {axis=1} : float32[2,3]
  %y = relu6(X=%x) {threshold=2.0} : float32[2,3]
  %z = tanh(X=%y) : float32[2,3]
  return out=%z
}
"""


def test_attributes_of_the_activation_move_to_the_operation() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%a: float32[2,3], %b: float32[3]) {
          %y = fusion_elementwise_add_activation(X=%a, Y=%b) {PARAMS} : float32[2,3]
          %z = tanh(X=%y) : float32[2,3]
          return out=%z
        }
        """.replace("PARAMS", 'axis=1, activation="relu6", activation_params=[2.0]'),
    )


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("name", ["add", "div", "max", "min", "mul", "sub"])
def test_every_operation_is_fused_with_every_activation(activation: str, name: str) -> None:
    check_fused(
        PASS,
        f"""
        graph main(%a: float32[2,3], %b: float32[2,3]) {{
          %x = elementwise_{name}(X=%a, Y=%b) : float32[2,3]
          %y = {activation} : float32[2,3]
          return %y
        }}
        """,
        [f"fusion_elementwise_{name}_activation"],
    )


@pytest.mark.parametrize("attrs", ["", " {scale=2.0, bias=-1.0}"])
def test_a_scaled_product_keeps_its_scale(attrs: str) -> None:
    check_fused(
        PASS,
        f"""
        graph main(%a: float32[2,3], %b: float32[2,1]) {{
          %x = elementwise_mul(X=%a, Y=%b){attrs} : float32[2,3]
          %y = relu(X=%x) : float32[2,3]
          return %y
        }}
        """,
        ["fusion_elementwise_mul_activation"],
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%z", "return out=%z, %x"),
        ("return out=%z", "%w = relu(X=%x)\nreturn out=%z, %w"),
        ("relu6(X=%x) {threshold=2.0}", "exp(X=%x)"),
        ("elementwise_add", "fmod"),
        ("{axis=1} : float32[2,3]", "{axis=1} : float32[2,3] quant([0.5], [0], -1, int8)"),
    ],
)
def test_other_activations_and_users_prevent_the_fusion(old: str, new: str) -> None:
    assert old in TEXT
    check_unchanged(PASS, TEXT.replace(old, new))


def test_integers_are_not_fused() -> None:
    check_unchanged(
        PASS,
        """
        graph main(%a: int32[2], %b: int32[2]) {
          %x = elementwise_add(X=%a, Y=%b) : int32[2]
          %y = relu(X=%x) : int32[2]
          return %y
        }
        """,
    )
