"""Matrices that interpolate and average, against the formula of each row."""

from __future__ import annotations

import numpy as np
import pytest

from lite.emission.conversion import Declined
from lite.emission.interpolation import bin_matrix, linear_matrix
from tests.bridges.arrays import floats


def test_a_matrix_interpolates_between_neighbours() -> None:
    line, positions = floats(5), np.array([-1.0, 0.25, 2.0, 3.75, 9.0])

    np.testing.assert_allclose(
        linear_matrix(positions, 5) @ line, np.interp(positions, np.arange(5), line), rtol=1e-6
    )


def test_a_large_matrix_is_declined() -> None:
    with pytest.raises(Declined, match="from 3000 to 3000 pixels"):
        linear_matrix(np.arange(3000.0), 3000)


def test_bins_cover_the_line_and_overlap() -> None:
    line = floats(7)

    expected = [line[0:3].mean(), line[2:5].mean(), line[4:7].mean()]

    np.testing.assert_allclose(bin_matrix(7, 3) @ line, expected, rtol=1e-6)
