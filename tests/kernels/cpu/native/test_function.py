"""Compiled functions called from Python: their arguments, and references that jobs hold between calls."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from lite.kernels.cpu.codes import CLAMPED
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array
from tests.kernels.cpu.bound import floats

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

PLAIN: Array = np.array([1, 0, -np.inf, np.inf, 0], np.float32)
"""The parameters of a clamp that changes nothing."""

activate = Function("rows.activate")


def test_bound_and_free_arguments_are_passed() -> None:
    x, y = floats(1, 7), np.zeros(7, np.float32)
    relu = np.array([1, 0, 0, np.inf, 0], np.float32)
    job = activate.bind(FREE, FREE, CLAMPED, relu, count=7)
    job(x, y)
    np.testing.assert_array_equal(y, np.maximum(x, 0))
    other, result = floats(2, 7), np.zeros(7, np.float32)
    for _ in range(2):
        job(other, result)
        np.testing.assert_array_equal(result, np.maximum(other, 0))
    job(x, result)
    np.testing.assert_array_equal(result, np.maximum(x, 0))
    activate.bind(FREE, FREE, CLAMPED, relu, count=4)(other, y)
    np.testing.assert_array_equal(y, [*np.maximum(other[:4], 0), *np.maximum(x[4:], 0)])


def test_arrays_that_are_read_may_have_any_strides() -> None:
    whole, y = floats(1, 5, 4), np.zeros(10, np.float32)
    job = activate.bind(FREE, FREE, CLAMPED, PLAIN, count=10)
    for array in (
        whole[:, ::2],
        whole.T[:2],
        np.frombuffer(b"\0" + whole.tobytes(), np.uint8)[1:41].view("<f4"),
    ):
        job(array, y)
        np.testing.assert_array_equal(y, array.reshape(-1))


def test_arrays_of_a_call_are_not_kept_alive() -> None:
    x, y = floats(1, 7), np.zeros(7, np.float32)
    job = activate.bind(FREE, FREE, CLAMPED, PLAIN, count=7)
    job(x, y)
    watched = weakref.ref(x)
    del x
    gc.collect()
    assert watched() is None
    job(np.ones(7, np.float32), y)
    np.testing.assert_array_equal(y, 1)


def test_bound_arrays_are_kept_alive() -> None:
    y = np.zeros(3, np.float32)
    job = activate.bind(np.arange(3, dtype=np.float32), FREE, CLAMPED, np.array(PLAIN), count=3)
    gc.collect()
    np.full(3, 7, np.float32)
    job(y)
    np.testing.assert_array_equal(y, [0, 1, 2])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((FREE, FREE, 1), "rows.activate takes 4 arguments, got 3"),
        ((FREE, FREE, "1", PLAIN), "argument 2 of rows.activate is a number, got '1'"),
        ((FREE, FREE, 1, PLAIN.astype(np.float64)), "argument 3 of rows.activate is an array of float32"),
        ((PLAIN, 3, 1, PLAIN), "argument 1 of rows.activate is an array of float32, got 3"),
        ((PLAIN, PLAIN[::2], 1, PLAIN), "argument 1 of rows.activate is written, but an array of float32"),
    ],
)
def test_wrong_arguments_are_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        activate.bind(*arguments)  # type: ignore[arg-type]


def test_wrong_arrays_in_a_call_are_refused() -> None:
    job = activate.bind(FREE, FREE, CLAMPED, PLAIN, count=3)
    x = np.zeros(6, np.float32)
    for wrong in ((x.astype(np.int32), x), (x, x[::2])):
        with pytest.raises(TypeError, match=r"argument [01] of rows\.activate"):
            job(*wrong)
    with pytest.raises(ValueError, match="shorter"):
        job(x)
