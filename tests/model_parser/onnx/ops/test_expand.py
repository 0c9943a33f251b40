"""Expand and Tile against ONNX's reference."""

from __future__ import annotations

import numpy as np
import pytest

from tests.model_parser.onnx.node_models import matches_reference

X = np.array([[[1.0], [2.0], [3.0]]], np.float32)


@pytest.mark.parametrize("shape", [[2, 3, 4], [1], [5, 1, 1, 2], [3, 1], [1, 1, 1], [0, 1, 1]])
def test_expand(shape: list[int]) -> None:
    matches_reference("Expand", [X, np.array(shape)], constants=[1])


def test_expand_of_booleans() -> None:
    matches_reference("Expand", [np.array([True, False]), np.array([3, 2])])


@pytest.mark.parametrize("times", [[1, 2, 3], [0, 1, 1]])
def test_tile(times: list[int]) -> None:
    matches_reference("Tile", [X, np.array(times)], constants=[1])
