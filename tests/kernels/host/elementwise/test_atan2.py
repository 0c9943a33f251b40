"""atan2 against math.atan2."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked


@pytest.mark.parametrize(
    ("dtype", "target"), [(np.float32, np.float32), (np.float64, np.float64), (np.int32, np.float64)]
)
def test_angles_lie_in_all_quadrants(dtype: type[np.generic], target: type[np.generic]) -> None:
    x1, x2 = np.array([[-2, 0, 3]], dtype), np.array([[-1], [0], [4]], dtype)

    (got,) = checked("atan2", {"X1": x1, "X2": x2})

    wanted = [[math.atan2(a, b) for a in (-2, 0, 3)] for b in (-1, 0, 4)]
    np.testing.assert_allclose(got, np.array(wanted, target), rtol=1e-6)


def test_scalars_are_computed() -> None:
    (got,) = checked("atan2", {"X1": np.array(1, np.float32), "X2": np.array(-1, np.float32)})

    np.testing.assert_allclose(got, float32(3 * math.pi / 4))
