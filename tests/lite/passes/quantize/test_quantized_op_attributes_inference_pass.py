"""What quantised ops compute is quantised as its readers round it."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged

PASS = "quantized_op_attributes_inference_pass"
Q, OTHER = "quant([0.5], [3], -1, uint8)", "quant([0.25], [3], -1, uint8)"

TEXT = f"""
    graph main(%x: float32[2] {Q}) {{
      %y = tanh(X=%x) : float32[2]
      %q = assign(X=%y) : float32[2] {OTHER}
      %z = relu(X=%y) : float32[2]
      %p = exp(X=%q) : float32[2]
      return %z, %p
    }}
"""


def test_a_result_takes_the_quantisation_of_a_reader() -> None:
    after = f"""
        graph main(%x: float32[2] {Q}) {{
          %y = tanh(X=%x) : float32[2] {OTHER}
          %z = relu(X=%y) : float32[2]
          %p = exp(X=%y) : float32[2]
          return %z, %p
        }}
    """
    check(PASS, TEXT, after)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"%x: float32[2] {Q}", "%x: float32[2]"),
        ("return %z", "return %y, %z"),
        ("%z = relu(X=%y) : float32[2]", f"%z = assign(X=%y) : float32[2] {Q}"),
    ],
    ids=["real inputs", "a result of the graph", "different quantisations"],
)
def test_other_values_stay(old: str, new: str) -> None:
    assert old in TEXT
    check_unchanged(PASS, TEXT.replace(old, new))
