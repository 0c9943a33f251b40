"""integer_matmul: sums in Python's integers."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import GraphError
from lite.ir.types import Array
from tests.kernels.host.checked import checked, filled, same

RNG = np.random.default_rng(0)
X = RNG.integers(0, 256, (2, 3, 5)).astype(np.uint8)
Y = RNG.integers(-128, 128, (5, 4)).astype(np.int8)


@pytest.mark.parametrize(
    "rows", [None, np.uint8(7), np.array([9], np.uint8), np.array([1, 2, 255], np.uint8)]
)
@pytest.mark.parametrize("columns", [None, np.int8(-3), np.array([-128, 0, 5, 127], np.int8)])
def test_each_row_and_column_has_its_zero_point(rows: Array | None, columns: Array | None) -> None:
    first = [0] * 3 if rows is None else np.broadcast_to(rows, 3).tolist()
    second = [0] * 4 if columns is None else np.broadcast_to(columns, 4).tolist()

    def element(n: int, m: int, c: int) -> int:
        return sum((int(X[n, m, k]) - first[m]) * (int(Y[k, c]) - second[c]) for k in range(5))

    inputs = {"X": X, "Y": Y}
    if rows is not None:
        inputs["XZeroPoint"] = np.asarray(rows)
    if columns is not None:
        inputs["YZeroPoint"] = np.asarray(columns)
    [out] = checked("integer_matmul", inputs)
    same(out, filled((2, 3, 4), np.int32, element))


def test_vectors_are_a_row_and_a_column() -> None:
    x, y = X[0, 0], Y[:, 0]
    total = sum(int(a) * int(b) for a, b in zip(x, y, strict=True))
    same(checked("integer_matmul", {"X": x, "Y": y})[0], np.array(total, np.int32))
    same(checked("integer_matmul", {"X": X, "Y": y})[0], (X.astype(np.int32) @ y.astype(np.int32)))
    same(checked("integer_matmul", {"X": x, "Y": Y})[0], (x.astype(np.int32) @ Y.astype(np.int32)))


def test_sums_beyond_int32_wrap() -> None:
    x = np.full((1, 1 << 16), 255, np.uint8)
    [out] = checked("integer_matmul", {"X": x, "Y": x.T.copy()})
    same(out, np.array([[(255 * 255 << 16) - (1 << 32)]], np.int32))


def test_zero_points_of_a_wrong_length_are_refused() -> None:
    with pytest.raises(GraphError, match=r"slot XZeroPoint: expected 1 number, or 3"):
        checked("integer_matmul", {"X": X, "Y": Y, "XZeroPoint": np.zeros(2, np.uint8)})
