"""Axes and diagonals as tensors, and attributes that are litebridge's own."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.host.checked import checked, filled, numbers, same, whole


@pytest.mark.parametrize("axes", [[1], [-1, 1], []])
def test_squeeze_takes_axes_from_a_tensor(axes: list[int]) -> None:
    x = numbers(2, 1, 3, 1)
    squeezed = [axis % 4 for axis in axes] or [1, 3]

    (got,) = checked("squeeze2", {"X": x, "AxesTensor": whole(*axes)})

    same(got, x.reshape([size for axis, size in enumerate(x.shape) if axis not in squeezed]))


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("diagonal", [-1, 0, 2])
def test_tril_triu_takes_the_diagonal_from_a_tensor(diagonal: int, lower: bool) -> None:
    x = numbers(2, 3, 4)

    def element(n: int, row: int, column: int) -> float:
        kept = column - row <= diagonal if lower else column - row >= diagonal
        return float(x[n, row, column]) if kept else 0.0

    (got,) = checked("tril_triu", {"X": x, "DiagonalTensor": whole(diagonal)}, {"lower": lower})

    same(got, filled(x.shape, np.float32, element))


@pytest.mark.parametrize("depth", [0, 1, 2])
@pytest.mark.parametrize("batch", [1, 2])
def test_gather_nd_takes_batch_axes(batch: int, depth: int) -> None:
    x = numbers(2, 3, 4, 5)
    index = np.random.default_rng(1).integers(-2, 2, (*x.shape[:batch], 2, depth))

    (got,) = checked("gather_nd", {"X": x, "Index": index}, {"batch_dims": batch})

    wanted = np.zeros((*index.shape[:-1], *x.shape[batch + depth :]), np.float32)
    for at in np.ndindex(*index.shape[:-1]):
        wanted[at] = x[(*at[:batch], *index[at])]
    same(got, wanted)


def test_multinomial_draws_columns() -> None:
    """Without replacement, no column twice; a weight of 0 is never drawn."""
    weights = np.array([[1, 2, 0, 3], [0, 5, 1, 1]], np.float32)

    (got,) = checked("multinomial", {"X": weights}, {"num_samples": 3})

    assert got.dtype == np.int64
    assert [sorted(row) for row in got.tolist()] == [[0, 1, 3], [1, 2, 3]]


def test_multinomial_follows_the_weights() -> None:
    (got,) = checked(
        "multinomial", {"X": np.array([1, 3], np.float32)}, {"num_samples": 2000, "replacement": True}
    )

    assert got.shape == (2000,)
    assert abs(got.mean() - 0.75) < 0.05
