"""Multiply-accumulate operations of ops."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from lite.ir.types import Shape
from lite.ops.macs import macs


def conv_by_counting(filter_shape: Sequence[int], out: Sequence[int]) -> int:
    """One for each output element and element of the filter it sums over."""
    taps = itertools.product(*(range(size) for size in filter_shape[1:]))
    return sum(1 for _ in taps) * sum(1 for _ in itertools.product(*(range(size) for size in out)))


@pytest.mark.parametrize("op", ["conv2d", "depthwise_conv2d", "quantized_conv2d"])
def test_convolutions_count_a_filter_for_each_output(op: str) -> None:
    shapes: dict[str, list[Shape | None]] = {"Input": [(1, 4, 5, 5)], "Filter": [(6, 2, 3, 3)]}
    want = conv_by_counting((6, 2, 3, 3), (1, 6, 3, 3))
    assert macs(op, shapes, {"Output": [(1, 6, 3, 3)]}) == want


def test_a_transposed_convolution_multiplies_each_input_element_with_a_whole_filter() -> None:
    shapes: dict[str, list[Shape | None]] = {"Input": [(1, 4, 5, 5)], "Filter": [(4, 3, 2, 2)]}
    assert macs("conv2d_transpose", shapes, {"Output": [(1, 3, 10, 10)]}) == 100 * 12


@pytest.mark.parametrize(
    ("op", "slots", "shapes"),
    [
        ("matmul_v2", ("X", "Y"), ((2, 3, 4), (2, 4, 5))),
        ("mul", ("X", "Y"), ((6, 4), (4, 5))),
        ("fc", ("Input", "W"), ((6, 4), (4, 5))),
    ],
)
def test_products_count_the_inner_size_for_each_output(
    op: str, slots: tuple[str, str], shapes: tuple[Shape, Shape]
) -> None:
    inputs = {slot: [shape] for slot, shape in zip(slots, shapes, strict=True)}
    out: Shape = (2, 3, 5) if op == "matmul_v2" else (6, 5)
    assert macs(op, inputs, {"Out": [out]}) == 6 * 4 * 5


def test_a_value_of_unknown_size_has_no_number_and_other_ops_have_none() -> None:
    assert macs("mul", {"X": [("n", 4)], "Y": [(4, 5)]}, {"Out": [("n", 5)]}) is None
    assert macs("matmul_v2", {"X": [None], "Y": [(4, 5)]}, {"Out": [None]}) is None
    assert macs("relu", {"X": [(3,)]}, {"Out": [(3,)]}) == 0
