"""cos_sim against the definition, one pair of rows at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lite.errors import GraphError
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked


@pytest.mark.parametrize(("x_shape", "y_shape"), [((3, 4), (3, 4)), ((3, 4), (1, 4)), ((2, 3, 2), (2, 3, 2))])
def test_cosines_of_rows(x_shape: tuple[int, ...], y_shape: tuple[int, ...]) -> None:
    draw = np.random.default_rng(1)
    x = draw.normal(0, 1, x_shape).astype(np.float32)
    y = draw.normal(0, 1, y_shape).astype(np.float32)

    cosine, x_norm, y_norm = checked("cos_sim", {"X": x, "Y": y}, outputs={"Out": 1, "XNorm": 1, "YNorm": 1})

    x_rows, y_rows = x.reshape(len(x), -1).tolist(), y.reshape(len(y), -1).tolist()
    pairs = [(a, y_rows[n if len(y) > 1 else 0]) for n, a in enumerate(x_rows)]
    dots = [sum(p * q for p, q in zip(a, b, strict=True)) / math.hypot(*a) / math.hypot(*b) for a, b in pairs]
    np.testing.assert_allclose(cosine, np.array(dots).reshape(-1, 1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(x_norm, np.array([[math.hypot(*a)] for a in x_rows]), rtol=1e-6)
    np.testing.assert_allclose(y_norm, np.array([[math.hypot(*b)] for b in y_rows]), rtol=1e-6)


def test_a_row_of_zeros_gives_no_warning() -> None:
    (cosine,) = checked("cos_sim", {"X": np.zeros((1, 2), np.float32), "Y": np.ones((1, 2), np.float32)})

    np.testing.assert_array_equal(cosine, float32([[np.nan]]))


def test_different_numbers_of_rows_are_refused() -> None:
    with pytest.raises(GraphError, match="cos_sim: Y: expected 1 row or as many as X, 3, got 2"):
        checked("cos_sim", {"X": np.zeros((3, 2), np.float32), "Y": np.zeros((2, 2), np.float32)})
