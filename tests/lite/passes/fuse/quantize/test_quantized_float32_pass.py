"""Float64 between integers of 8 bits becomes float32."""

from __future__ import annotations

import pytest

from lite.ir.types import DType, Layout, Place
from lite.passes.base import PassContext
from tests.lite.passes.check import check, check_unchanged

PASS = "quantized_float32_pass"
CPU = PassContext(valid_places=(Place("cpu", DType.FLOAT32, Layout.NHWC), Place("host")))

SUM = """
    graph main(%p: uint8[2,3], %q: uint8[2,3]) {
      %s = const float64[] [0.5]
      %k = const float64[] [3.0]
      %o = const float32[] [1.0]
      %a = affine_dequantize(X=%p, Scale=%s) : float64[2,3]
      %b = affine_dequantize(X=%q, Scale=%s) : float64[2,3]
      %c = elementwise_add(X=%a, Y=%b) : float64[2,3]
      %d = elementwise_add(X=%c, Y=%k) : float64[2,3]
      %r = affine_quantize(X=%d, Scale=%o) {dtype=20} : uint8[2,3]
      return out=%r
    }
"""


def test_a_sum_of_integers_is_computed_in_float32() -> None:
    after = """
        graph main(%p: uint8[2,3], %q: uint8[2,3]) {
          %o = const float32[] [1.0]
          %s_1 = const float32[] [0.5]
          %s_2 = const float32[] [0.5]
          %k_1 = const float32[] [3.0]
          %a_float32 = affine_dequantize(X=%p, Scale=%s_1) : float32[2,3]
          %b_float32 = affine_dequantize(X=%q, Scale=%s_2) : float32[2,3]
          %c_float32 = elementwise_add(X=%a_float32, Y=%b_float32) : float32[2,3]
          %d_float32 = elementwise_add(X=%c_float32, Y=%k_1) : float32[2,3]
          %r = affine_quantize(X=%d_float32, Scale=%o) {dtype=20} : uint8[2,3]
          return out=%r
        }
    """
    check(PASS, SUM, after, CPU)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%r", "return out=%r, more=%c"),
        (
            "%d = elementwise_add(X=%c, Y=%k)",
            "%e = elementwise_add(X=%c, Y=%k) : float64[2,3]\n %d = cumsum(X=%e)",
        ),
        (
            "%d = elementwise_add(X=%c, Y=%k)",
            "%e = elementwise_add(X=%c, Y=%k) : float64[2,3]\n %d = elementwise_add(X=%e, Y=%x)",
        ),
    ],
    ids=["a result in float64", "another op", "a real operand"],
)
def test_other_groups_stay(old: str, new: str) -> None:
    text = SUM.replace("%q: uint8[2,3])", "%q: uint8[2,3], %x: float64[2,3])").replace(old, new)
    check_unchanged(PASS, text, CPU)


def test_strict_precision_keeps_float64() -> None:
    check_unchanged(PASS, SUM, PassContext(valid_places=CPU.valid_places, strict=True))
