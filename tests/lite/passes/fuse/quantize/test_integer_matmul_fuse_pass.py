"""Products of integers scale their sums, add a bias and quantise."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import DType, Layout, Place
from lite.passes.base import PassContext
from tests.lite.passes.check import check, check_unchanged, constants_of

PASS = "integer_matmul_fuse_pass"
CPU = PassContext(valid_places=(Place("cpu", DType.FLOAT32, Layout.NHWC), Place("host")))

HEAD = """
    graph main(%a: uint8[2,4], %b: uint8[4,3], %s: float32[], %v: float32[3]) {
"""
PRODUCT = "%p = integer_matmul(X=%a, Y=%b) : int32[2,3]\n"


def test_a_computed_scale_and_a_bias_become_operands() -> None:
    before = f"""{HEAD}
      {PRODUCT}
      %f = cast(X=%p) {{out_dtype=5}} : float32[2,3]
      %t = scale(X=%s) {{scale=0.5}} : float32[]
      %m = elementwise_mul(X=%f, Y=%t) : float32[2,3]
      %y = elementwise_add(X=%v, Y=%m) : float32[2,3]
      return out=%y
    }}"""
    after = f"""{HEAD}
      %t = scale(X=%s) {{scale=0.5}} : float32[]
      %y = integer_matmul(X=%a, Y=%b, Scale=%t, Bias=%v) : float32[2,3]
      return out=%y
    }}"""
    check(PASS, before, after, CPU)


def test_constants_in_float64_are_multiplied_and_the_result_is_quantised() -> None:
    before = f"""{HEAD}
      %k = const float64[] [0.5]
      %c = const float64[3] [2.0, 4.0, 8.0]
      %z = const uint8[] [9]
      %r = const float32[] [0.25]
      {PRODUCT}
      %f = cast(X=%p) {{out_dtype=6}} : float64[2,3]
      %d = elementwise_add(X=%f, Y=%c) : float64[2,3]
      %m = elementwise_mul(X=%d, Y=%k) : float64[2,3]
      %n = elementwise_mul(X=%m, Y=%c) : float64[2,3]
      %y = affine_quantize(X=%n, Scale=%r, ZeroPoint=%z) {{dtype=20}} : uint8[2,3]
      return out=%y
    }}"""
    after = f"""{HEAD}
      %p_scale = const float32[3] [1.0, 2.0, 4.0]
      %p_bias = const float32[3] [2.0, 8.0, 32.0]
      %y = integer_matmul(X=%a, Y=%b, Scale=%p_scale, Bias=%p_bias) {{out_scale=0.25, out_zero_point=9}}
        : uint8[2,3]
      return out=%y
    }}"""
    graph = check(PASS, before, after, CPU)
    assert [array.dtype for array in constants_of(graph).values()] == [np.float32] * 2


CAST = "%f = cast(X=%p) {out_dtype=5} : float32[2,3]\n"


ROWS = "%w = const float32[2,1] [1.0, 2.0]\n"


@pytest.mark.parametrize(
    "rest",
    [
        "return out=%p",
        f"{CAST} return out=%f",
        f"{CAST} %m = elementwise_mul(X=%f, Y=%s) : float32[2,3]\n return out=%m, p=%p",
        f"{CAST} %m = relu(X=%f) : float32[2,3]\n return out=%m",
        f"{ROWS}{CAST}%m = elementwise_mul(X=%f, Y=%w) : float32[2,3]\n return out=%m",
        f"{CAST} %m = elementwise_mul(X=%f, Y=%f) : float32[2,3]\n return out=%m",
    ],
    ids=["sums", "real sums", "sums with two readers", "another op", "a scale for each row", "a square"],
)
def test_other_ops_stay(rest: str) -> None:
    check_unchanged(PASS, f"{HEAD} {PRODUCT} {rest}\n}}", CPU)


def test_strict_precision_keeps_every_rounding() -> None:
    text = f"{HEAD} {PRODUCT} {CAST} %m = elementwise_mul(X=%f, Y=%s) : float32[2,3]\n return out=%m\n}}"
    check_unchanged(PASS, text, PassContext(valid_places=CPU.valid_places, strict=True))
