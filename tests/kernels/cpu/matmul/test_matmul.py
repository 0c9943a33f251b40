"""Matrix products against numpy in double precision."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, close, floats, run


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((40, 5), (5, 3)),
        ((33, 1), (1, 1)),
        ((2, 17, 64), (64, 70)),
        ((3, 35, 19), (3, 19, 37)),
        ((2, 3, 50, 8), (2, 3, 8, 100)),
        ((2, 1, 33, 700), (2, 1, 700, 9)),
        ((5, 2, 3, 18, 8), (2, 3, 8, 20)),
        ((5, 3, 18, 8), (1, 3, 8, 20)),
        ((5, 3, 18, 8), (1, 1, 8, 20)),
        ((3, 5, 18, 8), (3, 1, 8, 20)),
        ((4, 5), (5, 3)),
        ((1, 5), (5, 3)),
        ((12, 1, 64), (12, 64, 100)),
        ((4, 3, 2, 37), (3, 37, 130)),
        ((2, 16), (16, 16)),
        ((1, 40, 6), (3, 6, 4)),
        ((40,), (40, 7)),
        ((0, 4), (4, 5)),
    ],
)
@pytest.mark.parametrize("is_transposed", [False, True])
def test_matrices_of_every_shape_equal_numpy(
    first: tuple[int, ...], second: tuple[int, ...], is_transposed: bool
) -> None:
    x, y = floats(1, *first), floats(2, *second)
    expected = x.astype(np.float64) @ y
    matrix = np.ascontiguousarray(y.swapaxes(-1, -2)) if is_transposed else y
    for op, attrs in (
        ("matmul_v2", {"trans_y": is_transposed}),
        ("matmul", {"transpose_Y": is_transposed}),
        ("matmul", {"transpose_Y": is_transposed, "alpha": 0.125}),
    ):
        results, _ = run(op, {"X": x, "Y": matrix}, attrs)
        close(results[0], expected * attrs.get("alpha", 1))


@pytest.mark.parametrize("shape", [(2, 900), (3, 5, 900), (1, 1, 2, 900)])
@pytest.mark.parametrize("is_transposed", [False, True])
def test_a_constant_matrix_equals_numpy(shape: tuple[int, ...], is_transposed: bool) -> None:
    x, y = floats(1, *shape), floats(2, 900, 801)
    matrix = np.ascontiguousarray(y.T) if is_transposed else y
    for op, attrs in (("matmul_v2", {"trans_y": is_transposed}), ("matmul", {"transpose_Y": is_transposed})):
        bound = bind(op, {"X": x, "Y": matrix}, attrs, ["Y"])
        assert bound.is_compiled
        close(bound(), x.astype(np.float64) @ y)


@pytest.mark.parametrize(
    ("shape", "is_compiled"), [((120, 6), True), ((2, 3, 40), True), ((300, 200), False)]
)
def test_a_few_rows_by_a_constant_vector(shape: tuple[int, ...], is_compiled: bool) -> None:
    x, y = floats(1, *shape), floats(2, shape[-1])

    bound = bind("matmul_v2", {"X": x, "Y": y}, {}, ["Y"])

    assert bound.is_compiled == is_compiled
    close(bound(), x.astype(np.float64) @ y)


def test_bmm_equals_numpy() -> None:
    x, y = floats(1, 3, 40, 20), floats(2, 3, 20, 30)
    results, _ = run("bmm", {"X": x, "Y": y}, {})
    close(results[0], x.astype(np.float64) @ y)


def test_a_transposed_first_matrix_equals_numpy() -> None:
    x, y = floats(1, 20, 40), floats(2, 20, 30)
    results, _ = run("matmul_v2", {"X": x, "Y": y}, {"trans_x": True})
    close(results[0], x.T.astype(np.float64) @ y)


def test_nan_affects_its_row_and_column_alone() -> None:
    x, y = floats(1, 40, 20), floats(2, 20, 30)
    x[3, 4], y[5, 6] = np.nan, np.inf
    results, _ = run("matmul_v2", {"X": x, "Y": y}, {})
    finite = np.isfinite(results[0])
    expected = np.ones((40, 30), bool)
    expected[3], expected[:, 6] = False, False
    np.testing.assert_array_equal(finite, expected)


@pytest.mark.parametrize(
    ("first", "second", "is_compiled"),
    [
        ((16, 8), (8, 8), True),
        ((4, 3, 16, 8), (3, 8, 8), True),
        ((15, 8), (8, 8), True),
        ((15, 400), (400, 400), False),
        ((3, 8), (8, 8), True),
        ((3, 4000), (4000, 4000), False),
        ((1, 1100), (1100, 1000), True),
        ((4, 3, 16, 8), (4, 1, 8, 8), False),
        ((16, 1100), (1100, 1000), False),
        ((64, 1100), (1100, 1000), True),
    ],
)
def test_products_of_some_rows_or_with_a_large_matrix_are_left_to_blas(
    first: tuple[int, ...], second: tuple[int, ...], is_compiled: bool
) -> None:
    bound = bind("matmul_v2", {"X": floats(1, *first), "Y": floats(2, *second)}, {})
    assert bound.is_compiled == is_compiled
