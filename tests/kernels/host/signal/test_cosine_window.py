"""cosine_window against the sum of cosines."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lite.ir.program import AttrValue
from lite.ir.types import DType
from tests.kernels.host.checked import checked


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("size", [0, 1, 2, 7])
@pytest.mark.parametrize("coefficients", [[1.0], [0.5, -0.5], [0.42, -0.5, 0.08]])
def test_windows_are_sums_of_cosines(coefficients: list[float], size: int, periodic: bool) -> None:
    attrs: dict[str, AttrValue] = {
        "coefficients": coefficients,
        "periodic": periodic,
        "dtype": DType.FLOAT64.code,
    }
    length = max(size if periodic else size - 1, 1)
    wanted = [
        sum(c * math.cos(2 * math.pi * k * n / length) for k, c in enumerate(coefficients))
        for n in range(size)
    ]

    (got,) = checked("cosine_window", {"Size": np.array(size)}, attrs)

    assert got.dtype == np.float64
    np.testing.assert_allclose(got, wanted, atol=1e-12)
