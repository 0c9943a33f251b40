"""Transpose against ONNX's reference."""

from __future__ import annotations

import numpy as np
import pytest

from tests.model_parser.onnx.node_models import matches_reference


@pytest.mark.parametrize("attrs", [{}, {"perm": [1, 2, 0]}])
def test_transpose(attrs: dict[str, list[int]]) -> None:
    matches_reference("Transpose", [np.arange(24, dtype=np.int8).reshape(2, 3, 4)], attrs)


def test_without_axes() -> None:
    matches_reference("Transpose", [np.array(3.0, np.float32)])
