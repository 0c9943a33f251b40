"""Where and NonZero against ONNX's reference."""

from __future__ import annotations

import numpy as np

from tests.model_parser.onnx.node_models import matches_reference


def test_where() -> None:
    condition = np.array([[True], [False]])

    matches_reference("Where", [condition, np.array([1, 2], np.int16), np.array(9, np.int16)])


def test_non_zero() -> None:
    matches_reference("NonZero", [np.array([[1.0, 0.0], [-1.0, 2.0]], np.float32)])
