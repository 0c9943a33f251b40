"""DFT with its axis as an attribute and as an input."""

from __future__ import annotations

import numpy as np
import pytest

from tests.model_parser.onnx.node_models import matches_reference

REAL = np.random.default_rng(0).standard_normal((2, 7, 1)).astype(np.float32)
COMPLEX = np.random.default_rng(1).standard_normal((2, 7, 2)).astype(np.float32)


@pytest.mark.parametrize(
    ("onesided", "inverse", "complex_"), [(0, 0, 0), (1, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1)]
)
@pytest.mark.parametrize("length", [None, np.array(5)])
def test_dft(onesided: int, inverse: int, complex_: int, length: np.ndarray | None) -> None:
    x = COMPLEX if complex_ else REAL
    attrs = {"onesided": onesided, "inverse": inverse}

    matches_reference("DFT", [x, length, np.array(1)], attrs, opset=20, constants=[2], tolerance=1e-4)
    matches_reference("DFT", [x, length], {**attrs, "axis": 1}, opset=17, tolerance=1e-4)
