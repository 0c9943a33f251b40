"""erf against math.erf."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked


@pytest.mark.parametrize(
    ("dtype", "limit"), [(np.float16, 5e-4), (np.float32, 6e-7), (np.float64, 0.0)], ids=str
)
def test_error_is_small_everywhere(dtype: type[np.floating], limit: float) -> None:
    x = np.linspace(-6, 6, 4001).astype(dtype)

    (got,) = checked("erf", {"X": x})

    expected = np.array([math.erf(v) for v in x.tolist()])
    assert np.abs(got.astype(np.float64) - expected).max() <= limit


def test_relative_error_is_small_near_zero() -> None:
    x = float32([-1e-3, -1e-12, 0.0, 1e-30, 1e-6])

    (got,) = checked("erf", {"X": x})

    np.testing.assert_allclose(got, [math.erf(v) for v in x.tolist()], rtol=1e-6)


def test_erf_is_1_at_infinity() -> None:
    (got,) = checked("erf", {"X": float32([-np.inf, -100, 100, np.inf, np.nan])})

    np.testing.assert_array_equal(got, float32([-1, -1, 1, 1, np.nan]))
