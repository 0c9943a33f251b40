"""Values of chosen ops become real numbers."""

from __future__ import annotations

import pytest

from lite.spec.grammar import Spec
from tests.lite.passes.check import check, check_unchanged

PASS = "quantization_parameters_removal_pass"
Q = "quant([0.5], [3], -1, uint8)"
TEXT = f"""
graph main(%x: float32[2]) {{
  %a = relu(X=%x) : float32[2] {Q}
  %b = tanh(X=%a) : float32[2] {Q}
  %c = relu(X=%b) : float32[2] {Q}
  return %c
}}
"""


@pytest.mark.parametrize("options", ["{ops=[tanh]}", "{values=[b]}", "{ops=[tanh, exp], values=[b, z]}"])
def test_the_chosen_value_is_real(options: str) -> None:
    old = f"tanh(X=%a) : float32[2] {Q}"
    check(PASS + options, TEXT, TEXT.replace(old, "tanh(X=%a) : float32[2]"))


def test_without_options_nothing_changes() -> None:
    check_unchanged(PASS, TEXT)


@pytest.mark.parametrize("config", ["tanh", "tanh:a:b", "# a comment\nexp\ntanh::b"])
def test_paddle_lites_config_names_ops(config: str) -> None:
    old = f"tanh(X=%a) : float32[2] {Q}"
    spec = str(Spec(PASS, (("config", config),)))
    check(spec, TEXT, TEXT.replace(old, "tanh(X=%a) : float32[2]"))


def test_a_config_of_other_ops_changes_nothing() -> None:
    check_unchanged(str(Spec(PASS, (("config", "tanh:x:b"),))), TEXT)
