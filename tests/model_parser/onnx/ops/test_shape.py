"""Shape and Size against ONNX's reference."""

from __future__ import annotations

import numpy as np
import pytest

from tests.model_parser.onnx.node_models import matches_reference

X = np.zeros((2, 3, 4), np.float32)


@pytest.mark.parametrize(
    "attrs", [{}, {"start": 1}, {"end": -1}, {"start": -2, "end": 3}, {"start": 2, "end": 1}, {"end": 9}]
)
def test_shape(attrs: dict[str, int]) -> None:
    matches_reference("Shape", [X], attrs)


@pytest.mark.parametrize("x", [X, np.array(1.0), np.zeros((0, 5), np.int32)])
def test_size(x: np.ndarray) -> None:
    matches_reference("Size", [x])
