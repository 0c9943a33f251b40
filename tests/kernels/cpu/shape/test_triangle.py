"""Triangles of matrices against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.cpu.bound import run, run_compiled


@pytest.mark.parametrize("dtype", [np.bool_, np.float16, np.float32, np.int64, np.complex128])
@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (2, 3, 40), (2, 1, 9, 4)])
@pytest.mark.parametrize("diagonal", [0, -1, 2, -100, 100, -(2**62), 2**62])
@pytest.mark.parametrize("lower", [True, False])
def test_triangles_of_all_types(
    dtype: type[np.generic], shape: tuple[int, ...], diagonal: int, lower: bool
) -> None:
    x = np.random.default_rng(0).integers(1, 100, shape).astype(dtype)

    inputs = {"X": x, "DiagonalTensor": np.array(diagonal)}
    (result,), is_compiled = run("tril_triu", inputs, {"lower": lower}, ["DiagonalTensor"])

    assert is_compiled
    np.testing.assert_array_equal(result, (np.tril if lower else np.triu)(x, max(-200, min(200, diagonal))))


def test_nan_outside_of_the_triangle_becomes_0() -> None:
    x = np.full((3, 3), np.nan, np.float32)
    (result,) = run_compiled("tril_triu", {"X": x}, {"lower": True, "diagonal": -1})
    np.testing.assert_array_equal(result, np.tril(x, -1))


def test_other_cases_are_left_to_the_host() -> None:
    x = np.ones((3, 3), np.float32)
    assert not run("tril_triu", {"X": x, "DiagonalTensor": np.array(1)}, {"lower": True})[1]
    assert not run("tril_triu", {"X": x[:0]}, {"lower": True})[1]
