"""stored_fc of the host from its definition."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import GraphError
from lite.ir.program import AttrValue
from lite.ir.types import Array
from lite.plugin.kernel import evaluate


def test_int8_weights_have_a_scale_for_each_column_and_block_of_rows() -> None:
    x = np.arange(8, dtype=np.float32).reshape(1, 2, 4)
    weights = np.arange(-6, 6, dtype=np.int8).reshape(4, 3)
    scale = np.array([[1, 2, 4], [0.5, 1, 0.25]], np.float32)
    bias = np.array([1, -50, 0], np.float32)
    attrs: dict[str, AttrValue] = {"in_num_col_dims": 2, "activation": "relu"}
    inputs: dict[str, list[Array]] = {"Input": [x], "W": [weights], "Scale": [scale], "Bias": [bias]}
    [result] = evaluate("stored_fc", inputs, attrs, {"Out": 1})["Out"]
    expected = x @ (weights * scale.repeat(2, 0)) + bias
    np.testing.assert_array_equal(result.array, np.maximum(expected, 0))


def test_scales_of_another_number_of_columns_are_refused() -> None:
    inputs: dict[str, list[Array]] = {
        "Input": [np.zeros((2, 4), np.float32)],
        "W": [np.zeros((4, 3), np.int8)],
        "Scale": [np.ones(4, np.float32)],
    }
    with pytest.raises(GraphError, match="3 numbers, one for each column of W"):
        evaluate("stored_fc", inputs, {}, {"Out": 1})
