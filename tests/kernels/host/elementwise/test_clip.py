"""clip against Python's min and max."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_bounds_may_be_attributes(dtype: type[np.generic]) -> None:
    x = np.array([[-3, -1, 0], [1, 2, 5]], dtype)

    (got,) = checked("clip", {"X": x}, {"min": -1.0, "max": 2.0})

    np.testing.assert_array_equal(got, np.array([[-1, -1, 0], [1, 2, 2]], dtype))


@pytest.mark.parametrize("shape", [(), (1,)])
def test_bounds_as_tensors_replace_attributes(shape: tuple[int, ...]) -> None:
    inputs = {
        "X": float32([-3, 0.25, 5]),
        "Min": np.full(shape, -0.5, np.float32),
        "Max": np.full(shape, 1.5, np.float32),
    }

    (got,) = checked("clip", inputs, {"min": 8.0, "max": 9.0})

    np.testing.assert_array_equal(got, float32([-0.5, 0.25, 1.5]))


@pytest.mark.parametrize("shape", [(), (0, 2)])
def test_empty_tensors_and_scalars_keep_their_shape(shape: tuple[int, ...]) -> None:
    (got,) = checked("clip", {"X": np.full(shape, 2, np.float32)}, {"min": 0.0, "max": 1.0})

    np.testing.assert_array_equal(got, np.full(shape, 1, np.float32))
