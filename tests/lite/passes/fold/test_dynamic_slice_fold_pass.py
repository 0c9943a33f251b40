"""A dynamic_slice with constant ranges becomes a slice."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged
from tests.lite.passes.fuse.equal import check_fused

PASS = "dynamic_slice_fold_pass"

TEXT = """
graph main(%x: float32[4,6], %n: int64[1]) {
  %s = const int64[1] [1] : int64[1]
  %e = const int64[1] [9223372036854775807] : int64[1]
  %a = const int64[1] [-1] : int64[1]
  %y = dynamic_slice(Input=%x, Starts=%s, Ends=%e, Axes=%a) : float32[4,5]
  return %y
}
"""


def test_ranges_become_attributes() -> None:
    check(
        PASS,
        TEXT,
        """
        graph main(%x: float32[4,6], %n: int64[1]) {
          %y = slice(Input=%x) {axes=[-1], starts=[1], ends=[2147483647]} : float32[4,5]
          return %y
        }
        """,
    )
    check_fused(PASS, TEXT.replace(", %n: int64[1]", ""), ["slice"])


def test_without_axes_the_first_axes_are_sliced() -> None:
    text = TEXT.replace(", Axes=%a", "").replace("%a = const int64[1] [-1] : int64[1]", "")
    text = text.replace(", %n: int64[1]", "").replace("float32[4,5]", "float32[3,6]")
    graph = check_fused(PASS, text, ["slice"])
    assert next(iter(graph)).attrs["axes"] == [0]


def test_ranges_may_count_from_the_end() -> None:
    text = TEXT.replace("[9223372036854775807]", "[-1]").replace("[1] [1]", "[1] [-3]")
    check_fused(PASS, text.replace(", %n: int64[1]", "").replace("float32[4,5]", "float32[4,2]"), ["slice"])


@pytest.mark.parametrize("slots", ["Starts=%n, Ends=%e, Axes=%a", "Starts=%s, Ends=%e, Axes=%a, Steps=%two"])
def test_other_dynamic_slices_are_unchanged(slots: str) -> None:
    text = TEXT.replace("Starts=%s, Ends=%e, Axes=%a", slots)
    if "%two" in slots:
        text = text.replace("  %y", "  %two = const int64[1] [2] : int64[1]\n  %y").replace("[4,5]", "[4,3]")
    if "%n," in slots:
        text = text.replace("%s = const int64[1] [1] : int64[1]", "").replace("[4,5]", "[4,?]")
    check_unchanged(PASS, text)
