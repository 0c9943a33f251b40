"""Ops that move numbers get one quantisation for what they read and write."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged

PASS = "restrict_quantized_op_with_same_input_output_scale_pass"
NARROW, WIDE = "quant([0.25], [0], -1, int8)", "quant([0.5], [0], -1, int8)"

TEXT = """
    graph main(%x: float32[2,3]) {
      %a = relu(X=%x) : float32[2,3] A
      %b = tanh(X=%x) : float32[2,3] B
      %c = concat(X=[%a, %b]) {axis=1} : float32[2,6] C
      %d = reshape2(X=%c) {shape=[12]} : float32[12] D
      %e = exp(X=%d) : float32[12]
      return out=%e
    }
"""


def text(a: str, b: str, c: str, d: str) -> str:
    quants = {"A": a, "B": b, "C": c, "D": d}
    lines = TEXT.splitlines()
    return "\n".join(
        line[:-1] + quants[line[-1]] if line[-2:-1] == " " and line[-1:] in quants else line for line in lines
    )


def test_connected_values_get_the_widest_quantisation() -> None:
    check(PASS, text(NARROW, WIDE, NARROW, NARROW), text(WIDE, WIDE, WIDE, WIDE))


def test_ops_limit_the_types() -> None:
    before, after = text(NARROW, WIDE, NARROW, NARROW), text(WIDE, WIDE, WIDE, NARROW)
    check(f"{PASS}{{ops=[concat]}}", before, after)


def test_ranges_with_zero_points_that_cover_the_others() -> None:
    part, whole = "quant([0.25], [128], -1, uint8)", "quant([0.5], [120], -1, uint8)"
    check(PASS, text(part, whole, whole, whole), text(whole, whole, whole, whole))


@pytest.mark.parametrize(
    "quants",
    [
        (WIDE, WIDE, WIDE, WIDE),
        (NARROW, "", WIDE, WIDE),
        (NARROW, WIDE, "quant([0.25], [0], -1, uint8)", NARROW),
        (
            "quant([0.5], [0], -1, uint8)",
            "quant([0.5], [255], -1, uint8)",
            *["quant([0.5], [0], -1, uint8)"] * 2,
        ),
    ],
    ids=["equal", "a real number", "other types", "no range covers the others"],
)
def test_other_values_stay(quants: tuple[str, str, str, str]) -> None:
    check_unchanged(PASS, text(*quants))
