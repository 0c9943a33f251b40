"""determinant against the sum over all permutations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lite.errors import GraphError
from lite.plugin.kernel import Array
from tests.kernels.host.checked import checked


def leibniz(matrix: Array) -> float:
    size, total = len(matrix), 0.0
    for order in itertools.permutations(range(size)):
        inversions = sum(order[a] > order[b] for a, b in itertools.combinations(range(size), 2))
        total += (-1) ** inversions * np.prod([matrix[row, order[row]] for row in range(size)])
    return total


@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 4), (1, 1), (0, 2, 2)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_determinants_are_sums_over_permutations(dtype: type[np.generic], shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(1).integers(-2, 3, shape).astype(dtype)
    wanted = [leibniz(matrix.astype(np.float64)) for matrix in x.reshape(-1, *shape[-2:])]

    (got,) = checked("determinant", {"Input": x})

    assert got.dtype == dtype
    np.testing.assert_allclose(got, np.reshape(wanted, shape[:-2]), rtol=1e-3, atol=1e-3)


def test_other_than_square_matrices_are_refused() -> None:
    with pytest.raises(GraphError, match="determinant: Input: expected square matrices"):
        checked("determinant", {"Input": np.zeros((2, 3), np.float32)})
