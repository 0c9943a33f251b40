"""Resizing by sizes computed from a factor gets the factor as an attribute."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "interpolate_fuse_pass"

TEXT = """
graph main(%x: float32[1,2,5,6], %o: float32[1,2,7,8]) {
  %s = shape(Input=%x) : int32[4]
  %n = slice(Input=%s) {axes=[0], starts=[2], ends=[4], decrease_axis=[]} : int32[2]
  %m = scale(X=%n) {scale=2.0} : int32[2]
  %y = nearest_interp_v2(X=%x, OutSize=%m) {align_corners=false} : float32[1,2,10,12]
  return out=%y
}
"""


def test_computed_factor_becomes_an_attribute() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%x: float32[1,2,5,6], %o: float32[1,2,7,8]) {
          %y = nearest_interp_v2(X=%x) {PARAMS} : float32[1,2,10,12]
          return out=%y
        }
        """.replace("PARAMS", "align_corners=false, scale=[2.0, 2.0], ratio_from_sizes=true"),
    )


@pytest.mark.parametrize("op", ["nearest_interp_v2", "bilinear_interp_v2", "bicubic_interp_v2"])
@pytest.mark.parametrize("corners", ["true", "false"])
@pytest.mark.parametrize(
    "arithmetic",
    [
        "%m = scale(X=%n) {scale=3.0} : int32[2]",
        "%m = elementwise_mul(X=%n, Y=%two) : int32[2]",
        (
            "%f = cast(X=%n) {in_dtype=2, out_dtype=5} : float32[2]\n"
            "%g = scale(X=%f) {scale=1.3} : float32[2]\n"
            "%m = cast(X=%g) {in_dtype=5, out_dtype=2} : int32[2]"
        ),
    ],
)
def test_every_form_of_the_calculation_is_fused(op: str, corners: str, arithmetic: str) -> None:
    text = TEXT.replace("nearest_interp_v2", op).replace(
        "%m = scale(X=%n) {scale=2.0} : int32[2]", arithmetic
    )
    text = text.replace("false", corners).replace("float32[1,2,10,12]", "float32[*]")
    check_fused(PASS, text.replace("%s =", "%two = const int32[1] [2]\n  %s ="), [op])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Input=%x", "Input=%o"),
        ("starts=[2]", "starts=[1]"),
        ("scale=2.0", "scale=1.5"),
        ("scale=2.0", "scale=2.0, bias=1.0"),
        ("scale=2.0", "scale=-2.0"),
        ("scale(X=%n)", "increment(X=%n)"),
        ("OutSize=%m", "SizeTensor=[%m]"),
        ("align_corners=false", 'data_layout="NHWC"'),
    ],
)
def test_other_calculations_are_unchanged(old: str, new: str) -> None:
    assert old in TEXT
    check_unchanged(PASS, TEXT.replace(old, new))


def test_sizes_that_others_read_are_kept() -> None:
    check_fused(
        PASS, TEXT.replace("return out=%y", "return out=%y, %n"), ["shape", "slice", "nearest_interp_v2"]
    )
