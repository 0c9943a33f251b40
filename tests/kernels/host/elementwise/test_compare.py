"""Comparisons, logic and bit operations against Python's operators."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np
import pytest

from lite.ir.types import DType
from lite.plugin.kernel import Array
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked

COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "equal": operator.eq,
    "greater_equal": operator.ge,
    "greater_than": operator.gt,
    "less_equal": operator.le,
    "less_than": operator.lt,
    "not_equal": operator.ne,
}
LOGIC: dict[str, Callable[[bool, bool], bool]] = {
    "logical_and": lambda a, b: a and b,
    "logical_or": lambda a, b: a or b,
    "logical_xor": lambda a, b: a != b,
}
BITS: dict[str, Callable[[int, int], int]] = {
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
}


def table(function: Callable[..., object], x: Array, y: Array) -> Array:
    return np.array([[function(a, b) for b in y.tolist()] for a in x.tolist()])


@pytest.mark.parametrize("name", sorted(COMPARISONS))
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int32])
def test_comparisons_agree_with_python(name: str, dtype: type[np.generic]) -> None:
    x, y = np.array([-1, 0, 2], dtype), np.array([-1, 2], dtype)

    (got,) = checked(name, {"X": x.reshape(3, 1), "Y": y})

    np.testing.assert_array_equal(got, table(COMPARISONS[name], x, y))


@pytest.mark.parametrize("name", sorted(COMPARISONS))
def test_comparisons_broadcast_at_axis(name: str) -> None:
    x, y = np.array([[1.0, 5.0, 2.0], [2.0, 2.0, 2.0]], np.float32), np.array([1.0, 2.0], np.float32)

    (got,) = checked(name, {"X": x, "Y": y}, {"axis": 0})

    wanted = [
        [COMPARISONS[name](v, limit) for v in row] for row, limit in zip(x.tolist(), y.tolist(), strict=True)
    ]
    np.testing.assert_array_equal(got, np.array(wanted))


@pytest.mark.parametrize("dtype", [DType.FLOAT32, DType.INT32, DType.INT64])
def test_a_fused_cast_sets_the_result_type(dtype: DType) -> None:
    inputs = {"X": float32([1, 2, 3]), "Y": float32([2, 2, 2])}

    (got,) = checked("greater_than", inputs, {"out_dtype": dtype.code})

    np.testing.assert_array_equal(got, np.array([0, 0, 1], dtype.numpy))


def test_integers_compare_with_fractions() -> None:
    (got,) = checked("less_than", {"X": np.array([0, 1]), "Y": np.array([0.5, 0.5], np.float32)})

    np.testing.assert_array_equal(got, [True, False])


@pytest.mark.parametrize("name", sorted(LOGIC))
@pytest.mark.parametrize("dtype", [np.bool_, np.int32])
def test_logic_agrees_with_python(name: str, dtype: type[np.generic]) -> None:
    x, y = np.array([0, 1], dtype), np.array([0, 1], dtype)

    (got,) = checked(name, {"X": x.reshape(2, 1), "Y": y})

    np.testing.assert_array_equal(got, table(LOGIC[name], x.astype(bool), y.astype(bool)))


@pytest.mark.parametrize("name", sorted(BITS))
@pytest.mark.parametrize("dtype", [np.bool_, np.int32, np.int64, np.uint8])
def test_bit_operations_agree_with_python(name: str, dtype: type[np.generic]) -> None:
    x, y = np.array([0, 1, 6, 255], dtype), np.array([1, 12, 170], dtype)

    (got,) = checked(name, {"X": x.reshape(4, 1), "Y": y})

    np.testing.assert_array_equal(got, table(BITS[name], x, y))


@pytest.mark.parametrize(
    ("name", "x", "wanted"),
    [
        ("bitwise_not", np.array([0, 1, -7], np.int32), np.array([-1, -2, 6], np.int32)),
        ("bitwise_not", np.array([True, False]), np.array([False, True])),
        ("logical_not", np.array([True, False]), np.array([False, True])),
        ("logical_not", float32([0, 0.5]), np.array([True, False])),
        ("logical_not", np.array(False), np.array(True)),
        ("isfinite_v2", float32([1, np.inf, np.nan]), np.array([True, False, False])),
        ("isfinite_v2", np.array([1, 2]), np.array([True, True])),
        ("isinf_v2", float32([1, -np.inf, np.nan]), np.array([False, True, False])),
        ("isinf_v2", float32([]), np.array([], bool)),
        ("isnan_v2", float32([1, -np.inf, np.nan]), np.array([False, False, True])),
        ("isnan_v2", np.array(1.0), np.array(False)),
    ],
)
def test_ops_of_one_operand_agree_with_python(name: str, x: Array, wanted: Array) -> None:
    (got,) = checked(name, {"X": x})

    np.testing.assert_array_equal(got, wanted)
