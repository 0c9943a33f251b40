"""inverse: its product with the matrix is the identity."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from lite.errors import GraphError
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 4, 4), (2, 1, 2, 2), (0, 3, 3)])
@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(np.float32, 1e-5), (np.float64, 1e-12), (ml_dtypes.bfloat16, 5e-2)]
)
def test_a_matrix_times_its_inverse_is_the_identity(
    shape: tuple[int, ...], dtype: type[np.generic], tolerance: float
) -> None:
    x = (np.random.default_rng(1).uniform(-1, 1, shape) + 5 * np.eye(shape[-1])).astype(dtype)

    (got,) = checked("inverse", {"Input": x}, outputs={"Output": 1})

    product = x.astype(np.float64) @ got.astype(np.float64)
    np.testing.assert_allclose(product, np.broadcast_to(np.eye(shape[-1]), shape), atol=tolerance)


def test_an_inverse_computed_by_hand() -> None:
    (got,) = checked("inverse", {"Input": float32([[1, 2], [3, 4]])}, outputs={"Output": 1})

    np.testing.assert_allclose(got, float32([[-2, 1], [1.5, -0.5]]), rtol=1e-5)


def test_a_matrix_that_is_not_square_is_refused() -> None:
    with pytest.raises(GraphError, match="inverse: Input: expected square matrices"):
        checked("inverse", {"Input": np.zeros((2, 3), np.float32)}, outputs={"Output": 1})
