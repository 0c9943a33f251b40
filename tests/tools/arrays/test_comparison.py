"""Comparison with expected outputs, and recorded ones."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from lite.errors import InputError
from lite.ir.types import Array
from lite.tools.arrays.comparison import Comparison, compare, largest_error, read_reference
from lite.tools.arrays.files import write_arrays

INF, NAN = float("inf"), float("nan")


def f32(*elements: float) -> Array:
    return np.array(elements, np.float32)


@pytest.mark.parametrize(
    ("got", "expected", "error"),
    [
        (f32(1, 2, 4), f32(1, 2, 4), 0),
        (f32(1, 2.5, 4), f32(1, 2, -4), 2),
        (f32(1, 2.5, 4), f32(1, 2, 4), 0.125),
        (f32(), f32(), 0),
        (f32(NAN, INF, 1), f32(NAN, INF, 2), 0.5),
        (f32(NAN, -INF), f32(NAN, INF), INF),
        (f32(1), f32(NAN), INF),
        (f32(NAN), f32(1), INF),
        (f32(1e-30), f32(0), INF),
        (f32(0), f32(0), 0),
        (np.array(3, np.float64), np.array(4, np.float64), 0.25),
        (np.array([1j]), np.array([2j]), 0.5),
        (np.array([1, 2], ml_dtypes.bfloat16), np.array([1, 4], ml_dtypes.bfloat16), 0.5),
    ],
)
def test_the_error_of_floats_is_relative_to_the_largest_expected_value(
    got: Array, expected: Array, error: float
) -> None:
    problem = None if error == 0 else "above 0.1"
    assert compare("y", got, expected, 0.1) == Comparison("y", error, problem)
    assert compare("y", got, expected, INF).problem is None


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.bool_])
def test_integers_and_booleans_must_be_equal(dtype: type) -> None:
    ones: Array = np.ones(4, dtype)
    other = ones.copy()
    other[2] = 0
    assert compare("y", ones, ones, 0) == Comparison("y", 0.0)
    assert compare("y", other, ones, INF) == Comparison("y", 1.0, "expected equal elements")


def test_strings_must_be_equal() -> None:
    a, b = np.array(["a"], object), np.array(["b"], object)
    assert compare("y", a, np.array(["a"]), 0) == Comparison("y", 0.0)
    assert compare("y", a, b, INF) == Comparison("y", 1.0, "expected equal elements")


def test_shapes_and_dtypes_must_be_equal() -> None:
    assert compare("y", f32(1), f32(1).reshape(1, 1), 1) == Comparison(
        "y", None, "expected shape [1, 1], got [1]"
    )
    assert compare("y", f32(1), np.ones(1), 1) == Comparison("y", None, "expected float64, got float32")


def test_prefixes_separate_inputs_and_outputs(tmp_path: Path) -> None:
    write_arrays({"in:a": f32(1), "out:b/c": f32(2), "note": f32(3)}, tmp_path / "r.npz")
    reference = read_reference(tmp_path / "r.npz")
    assert (dict(reference.inputs), dict(reference.outputs)) == ({"a": f32(1)}, {"b/c": f32(2)})


def test_a_file_without_outputs_is_refused(tmp_path: Path) -> None:
    write_arrays({"in:a": f32(1)}, tmp_path / "r.npz")
    with pytest.raises(
        InputError, match=r"r.npz: expected an array called out:NAME to compare with, got in:a$"
    ):
        read_reference(tmp_path / "r.npz")


def test_the_largest_error_is_unknown_if_one_error_is() -> None:
    assert largest_error([]) == 0
    assert largest_error([0.5, 2.0]) == 2
    assert largest_error([0.5, None]) is None


def test_the_description_has_the_problem_and_the_error() -> None:
    assert Comparison("y", 0.125, "above 0.1").description == "y: above 0.1, relative error 0.125"
    assert (
        Comparison("y", None, "expected shape [1], got [2]").description == "y: expected shape [1], got [2]"
    )
