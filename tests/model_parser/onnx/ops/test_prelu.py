"""PRelu in all forms of slopes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.model_parser.onnx.node_models import matches_reference

X = np.linspace(-3, 3, 24, dtype=np.float32).reshape(2, 3, 2, 2)


@pytest.mark.parametrize("shape", [(), (1,), (3, 1, 1), (1, 3, 1, 1), (2,), (3, 2, 2), (2, 3, 2, 2)])
def test_slopes(shape: tuple[int, ...]) -> None:
    slope = np.linspace(0.1, 0.9, int(np.prod(shape)), dtype=np.float32).reshape(shape)

    matches_reference("PRelu", [X, slope], constants=[1])


def test_integers() -> None:
    matches_reference("PRelu", [np.array([[-2, 3], [4, -5]]), np.array([2, 3])])
