"""The letters of einsum's equations."""

from __future__ import annotations

import pytest

from lite.ops.einsum_terms import ProductAxes, expanded, product_axes


@pytest.mark.parametrize(
    ("equation", "ranks", "operands", "result"),
    [
        ("ij,jk->ik", [2, 2], ["ij", "jk"], "ik"),
        ("...ij,...jk->...ik", [4, 4], ["abij", "abjk"], "abik"),
        ("...ij,...jk->...ik", [4, 3], ["abij", "bjk"], "abik"),
        ("...ij,jk->...ik", [4, 2], ["abij", "jk"], "abik"),
        ("a...,...a", [3, 2], ["abc", "ca"], "bc"),
        ("...i->...", [1], ["i"], ""),
    ],
)
def test_an_ellipsis_becomes_letters(
    equation: str, ranks: list[int], operands: list[str], result: str
) -> None:
    assert expanded(equation, ranks) == (operands, result)


def test_the_axes_of_a_product() -> None:
    axes = product_axes("bqhd", "bkhd", "bhqk")

    assert axes == ProductAxes("bh", "q", "d", "k")
    assert (axes.x, axes.y(is_transposed=True), axes.y(is_transposed=False)) == ("bhqd", "bhkd", "bhdk")


@pytest.mark.parametrize(
    ("x", "y", "result"), [("bij", "jk", "ik"), ("ii", "ij", "ij"), ("ij", "jk", "i"), ("ij", "jkk", "ik")]
)
def test_diagonals_and_sums_along_an_axis_of_one_operand_are_no_products(x: str, y: str, result: str) -> None:
    assert product_axes(x, y, result) is None
