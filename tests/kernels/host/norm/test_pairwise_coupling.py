"""pairwise_coupling: the optimum of Wu, Lin and Weng by a system of linear equations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lite.ir.types import Array
from tests.kernels.host.checked import checked


def optimum(row: Array, classes: int) -> Array:
    """The vector with the sum 1 that makes ``Σ (r_ji p_i - r_ij p_j)²`` least."""
    won = np.zeros((classes, classes))
    for value, (i, j) in zip(row.tolist(), itertools.combinations(range(classes), 2), strict=True):
        won[i, j], won[j, i] = value, 1 - value
    system, target = np.zeros((classes + 1, classes + 1)), np.zeros(classes + 1)
    for i, j in itertools.permutations(range(classes), 2):
        system[i, i] += won[j, i] ** 2
        system[i, j] = -won[j, i] * won[i, j]
    system[:classes, classes] = system[classes, :classes] = target[classes] = 1
    return np.linalg.solve(system, target)[:classes]


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("rows", [0, 1, 9])
def test_probabilities_are_close_to_the_optimum(classes: int, rows: int) -> None:
    pairs = np.random.default_rng(classes).uniform(0.02, 0.98, (rows, classes * (classes - 1) // 2))

    (result,) = checked("pairwise_coupling", {"X": pairs.astype(np.float32)}, {})

    expected = np.array([optimum(row, classes) for row in pairs]).reshape(rows, classes)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, expected, atol=0.01)
    np.testing.assert_allclose(result.sum(1), 1, atol=1e-6)
