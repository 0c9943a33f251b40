"""Elementwise ops read and write the integers of quantised values."""

from __future__ import annotations

from lite.ir.types import DType, Layout, Place
from lite.passes.base import PassContext
from tests.lite.passes.check import check, check_unchanged

PASS = "quantized_group_fuse_pass"
CPU = PassContext(valid_places=(Place("cpu", DType.FLOAT32, Layout.NHWC), Place("host")))

ADD = """
    graph main(%p: uint8[2,3], %q: uint8[2,3], %f: float32[2,3]) {
      %s = const float32[] [0.5]
      %t = const float32[] [0.25]
      %z = const uint8[] [7]
      %a = affine_dequantize(X=%p, Scale=%s, ZeroPoint=%z) : float32[2,3]
      %b = affine_dequantize(X=%q, Scale=%t) : float32[2,3]
      %c = elementwise_add(X=%a, Y=%b) : float32[2,3]
      %r = affine_quantize(X=%c, Scale=%s, ZeroPoint=%z) {dtype=20} : uint8[2,3]
      return out=%r
    }
"""


def test_a_sum_of_quantised_values() -> None:
    after = """
        graph main(%p: uint8[2,3], %q: uint8[2,3], %f: float32[2,3]) {
          %r = quantized_group(X=%p, Inputs=%q)
            {program="elementwise_add 0 1", results=[2], in_scales=[0.5, 0.25], in_zero_points=[7, 0],
             out_scales=[0.5], out_zero_points=[7]} : uint8[2,3]
          return out=%r
        }
    """
    check(PASS, ADD, after, CPU)


def test_a_group_with_an_operand_of_real_numbers_and_two_results() -> None:
    before = """
        graph main(%p: uint8[2,3], %f: float32[2,3]) {
          %s = const float32[] [0.5]
          %a = affine_dequantize(X=%p, Scale=%s) : float32[2,3]
          %c, %d = fusion_group(X=%f, Inputs=%a)
            {program="elementwise_add 0 1; relu 2", results=[2, 3]} : float32[2,3], float32[2,3]
          %r = affine_quantize(X=%d, Scale=%s) {dtype=20} : uint8[2,3]
          return sum=%c, out=%r
        }
    """
    after = """
        graph main(%p: uint8[2,3], %f: float32[2,3]) {
          %c, %r = quantized_group(X=%f, Inputs=%p)
            {program="elementwise_add 0 1; relu 2", results=[2, 3], in_scales=[0.0, 0.5],
             in_zero_points=[0, 0], out_scales=[0.0, 0.5], out_zero_points=[0, 0]}
            : float32[2,3], uint8[2,3]
          return sum=%c, out=%r
        }
    """
    check(PASS, before, after, CPU)


def test_real_numbers_stay() -> None:
    text = """
        graph main(%a: float32[2,3], %b: float32[2,3]) {
          %c = elementwise_add(X=%a, Y=%b) : float32[2,3]
          return out=%c
        }
    """
    check_unchanged(PASS, text, CPU)


def test_a_result_with_another_reader_stays_real() -> None:
    after = """
        graph main(%p: uint8[2,3], %q: uint8[2,3], %f: float32[2,3]) {
          %s = const float32[] [0.5]
          %z = const uint8[] [7]
          %c = quantized_group(X=%p, Inputs=%q)
            {program="elementwise_add 0 1", results=[2], in_scales=[0.5, 0.25], in_zero_points=[7, 0],
             out_scales=[0.0], out_zero_points=[0]} : float32[2,3]
          %r = affine_quantize(X=%c, Scale=%s, ZeroPoint=%z) {dtype=20} : uint8[2,3]
          return out=%r, sum=%c
        }
    """
    check(PASS, ADD.replace("return out=%r", "return out=%r, sum=%c"), after, CPU)
