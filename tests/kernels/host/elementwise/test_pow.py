"""pow and increment against Python's arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked


@pytest.mark.parametrize("factor", [1.0, 2.0, 3.0, 0.5, -1.0, 0.0])
@pytest.mark.parametrize("shape", [(4,), (2, 2), (4, 1)])
def test_floats_agree_with_python(factor: float, shape: tuple[int, ...]) -> None:
    x = float32([0.5, 1, 2, 9]).reshape(shape)

    (got,) = checked("pow", {"X": x}, {"factor": factor})

    wanted = float32([v**factor for v in [0.5, 1.0, 2.0, 9.0]]).reshape(shape)
    np.testing.assert_allclose(got, wanted, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers_are_rounded(dtype: type[np.integer]) -> None:
    (got,) = checked("pow", {"X": np.array([-3, 0, 1, 10], dtype)}, {"factor": 3.0})
    (inverse,) = checked("pow", {"X": np.array([-2, 1, 4], dtype)}, {"factor": -1.0})

    np.testing.assert_array_equal(got, np.array([-27, 0, 1, 1000], dtype))
    np.testing.assert_array_equal(inverse, np.array([0, 1, 0], dtype))


def test_factor_as_tensor_replaces_the_attribute() -> None:
    inputs = {"X": float32([2, 3]), "FactorTensor": float32([3])}

    (got,) = checked("pow", inputs, {"factor": 100.0})

    np.testing.assert_allclose(got, float32([8, 27]), rtol=1e-6)


def test_numbers_outside_the_domain_give_no_warnings() -> None:
    (got,) = checked("pow", {"X": float32([-1, 0])}, {"factor": -0.5})

    np.testing.assert_array_equal(got, float32([np.nan, np.inf]))


@pytest.mark.parametrize(
    ("dtype", "step", "wanted"),
    [(np.float32, 0.5, 3.5), (np.float32, -1.0, 2.0), (np.int32, 1.9, 4), (np.int64, 2.0, 5)],
)
@pytest.mark.parametrize("shape", [(1,), ()])
def test_increment_adds_the_step(
    dtype: type[np.generic], step: float, wanted: float, shape: tuple[int, ...]
) -> None:
    (got,) = checked("increment", {"X": np.full(shape, 3, dtype)}, {"step": step})

    np.testing.assert_array_equal(got, np.full(shape, wanted, dtype))
