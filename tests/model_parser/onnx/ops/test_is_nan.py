"""IsNaN and IsInf against ONNX's reference."""

from __future__ import annotations

import numpy as np
import pytest

from tests.model_parser.onnx.node_models import matches_reference

X = np.array([1.0, np.nan, np.inf, -np.inf, 0.0], np.float32)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_is_nan(dtype: type[np.generic]) -> None:
    matches_reference("IsNaN", [X.astype(dtype)])


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("negative", [0, 1])
def test_is_inf(positive: int, negative: int) -> None:
    matches_reference("IsInf", [X], {"detect_positive": positive, "detect_negative": negative})
