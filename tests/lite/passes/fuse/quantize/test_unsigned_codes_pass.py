"""Integers of quantised activations become uint8, with the same numbers."""

from __future__ import annotations

import pytest

from lite.ir.types import DType, Layout, Place
from lite.passes.base import PassContext
from tests.lite.passes.check import check, check_unchanged

PASS = "unsigned_codes_pass"
CPU = PassContext(valid_places=(Place("cpu", DType.FLOAT32, Layout.NHWC), Place("host")))

SIGNED = """
    graph main(%x: float32[2]) {
      %s = const float32[] [0.5]
      %z = const int8[] [-3]
      %q = affine_quantize(X=%x, Scale=%s, ZeroPoint=%z) {dtype=21} : int8[2]
      %y = affine_dequantize(X=%q, Scale=%s, ZeroPoint=%z) : float32[2]
      return out=%y
    }
"""


def test_zero_points_grow_by_128() -> None:
    after = """
        graph main(%x: float32[2]) {
          %s = const float32[] [0.5]
          %z_1 = const uint8[] [125]
          %z_2 = const uint8[] [125]
          %q_unsigned = affine_quantize(X=%x, Scale=%s, ZeroPoint=%z_1) {dtype=20} : uint8[2]
          %y = affine_dequantize(X=%q_unsigned, Scale=%s, ZeroPoint=%z_2) : float32[2]
          return out=%y
        }
    """
    check(PASS, SIGNED, after, CPU)


CAST = "%y = cast(X=%q) {in_dtype=21, out_dtype=5} : float32[2]"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return out=%y", "return out=%y, codes=%q"),
        ("%y = affine_dequantize(X=%q, Scale=%s, ZeroPoint=%z) : float32[2]", CAST),
    ],
    ids=["a result", "another reader"],
)
def test_integers_that_others_read_stay(old: str, new: str) -> None:
    assert old in SIGNED
    check_unchanged(PASS, SIGNED.replace(old, new), CPU)


def test_products_of_integers_get_the_other_zero_points() -> None:
    before = """
        graph main(%x: float32[2,2], %w: int8[2,2]) {
          %s = const float32[] [0.5]
          %q = affine_quantize(X=%x, Scale=%s) {dtype=21} : int8[2,2]
          %y = integer_matmul(X=%q, Y=%w) : int32[2,2]
          return out=%y
        }
    """
    after = """
        graph main(%x: float32[2,2], %w: int8[2,2]) {
          %s = const float32[] [0.5]
          %q_zero = const uint8[] [128]
          %q_zero_1 = const uint8[] [128]
          %q_unsigned = affine_quantize(X=%x, Scale=%s, ZeroPoint=%q_zero) {dtype=20} : uint8[2,2]
          %y = integer_matmul(X=%q_unsigned, Y=%w, XZeroPoint=%q_zero_1) : int32[2,2]
          return out=%y
        }
    """
    check(PASS, before, after, CPU)


def test_a_product_of_integers_with_themselves_stays() -> None:
    text = """
        graph main(%x: float32[2,2]) {
          %s = const float32[] [0.5]
          %q = affine_quantize(X=%x, Scale=%s) {dtype=21} : int8[2,2]
          %y = integer_matmul(X=%q, Y=%q) : int32[2,2]
          return out=%y
        }
    """
    check_unchanged(PASS, text, CPU)
