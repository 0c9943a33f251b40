"""Products over named axes as products of matrices."""

from __future__ import annotations

import pytest

from lite.ops.einsum_product import ProductAxes, product_axes


def test_the_axes_of_a_product() -> None:
    axes = product_axes("bqhd", "bkhd", "bhqk")

    assert axes == ProductAxes("bh", "q", "d", "k")
    assert (axes.x, axes.y(is_transposed=True), axes.y(is_transposed=False)) == ("bhqd", "bhkd", "bhdk")


@pytest.mark.parametrize(
    ("x", "y", "result"), [("bij", "jk", "ik"), ("ii", "ij", "ij"), ("ij", "jk", "i"), ("ij", "jkk", "ik")]
)
def test_diagonals_and_sums_along_an_axis_of_one_operand_are_no_products(x: str, y: str, result: str) -> None:
    assert product_axes(x, y, result) is None
