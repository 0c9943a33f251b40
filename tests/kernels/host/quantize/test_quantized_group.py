"""quantized_group and quantized_lookup of the host from their definitions."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import Array
from lite.plugin.kernel import evaluate


def test_numbers_are_dequantised_combined_and_rounded_to_even() -> None:
    attrs: dict[str, AttrValue] = {
        "program": "elementwise_add 0 1",
        "results": [2],
        "in_scales": [0.5, 0.0],
        "in_zero_points": [10, 0],
        "out_scales": [1.0],
        "out_zero_points": [100],
    }
    x, y = np.array([10, 11, 13, 255], np.uint8), np.array([0, 0, 1, 400], np.float32)
    inputs: dict[str, list[Array]] = {"X": [x], "Inputs": [y]}
    [result] = evaluate("quantized_group", inputs, attrs, {"Out": 1})["Out"]
    np.testing.assert_array_equal(result.array, np.array([100, 100, 102, 255], np.uint8))


def test_signed_bytes_number_the_table_as_unsigned_ones() -> None:
    x, table = np.array([[0, 1, -1], [-128, 127, 5]], np.int8), np.arange(256, dtype=np.uint8)
    [result] = evaluate("quantized_lookup", {"X": [x], "Table": [table]}, {}, {"Out": 1})["Out"]
    np.testing.assert_array_equal(result.array, [[0, 1, 255], [128, 127, 5]])
