"""An activation after fc is fused."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.activations import ACTIVATIONS
from tests.lite.passes.fuse.equal import check_fused

PASS = "fc_activation_fuse_pass"

TEXT = """
graph main(%a: float32[2,2]) {
  %w = const float32[2,2] [1.0, 2.0, 3.0, 4.0]
  %b = const float32[2] [5.0, 6.0]
  %x = fc(Input=%a, W=%w, Bias=%b) {in_num_col_dims=1} : float32[2,2]
  %y = gelu(X=%x) {approximate=true} : float32[2,2]
  %z = tanh(X=%y) : float32[2,2]
  return out=%z
}
"""


def test_attributes_of_the_activation_move_to_fc() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%a: float32[2,2]) {
          %w = const float32[2,2] [1.0, 2.0, 3.0, 4.0]
          %b = const float32[2] [5.0, 6.0]
          %y = fc(Input=%a, W=%w, Bias=%b) {PARAMS} : float32[2,2]
          %z = tanh(X=%y) : float32[2,2]
          return out=%z
        }
        """.replace("PARAMS", 'in_num_col_dims=1, activation="gelu", activation_params=[1.0]'),
    )


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_activation_is_fused(activation: str) -> None:
    check_fused(
        PASS,
        f"""
        graph main(%a: float32[?,4]) {{
          %w = const float32[4,3] random(1)
          %x = fc(Input=%a, W=%w) : float32[?,3]
          %y = {activation} : float32[?,3]
          return %y
        }}
        """,
        ["fc"],
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%z", "return out=%z, %x"),
        ("return out=%z", "%v = relu(X=%x)\nreturn out=%z, %v"),
        ("gelu(X=%x) {approximate=true}", "exp(X=%x)"),
        ("in_num_col_dims=1", 'in_num_col_dims=1, activation="tanh"'),
        ("in_num_col_dims=1", 'in_num_col_dims=1, activation="relu"'),
        ("{in_num_col_dims=1} : float32[2,2]", "{} : float32[2,2] quant([0.5], [0], -1, int8)"),
    ],
)
def test_other_activations_and_users_prevent_the_fusion(old: str, new: str) -> None:
    assert old in TEXT
    check_unchanged(PASS, TEXT.replace(old, new))
