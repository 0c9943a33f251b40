"""logsumexp and reductions whose axes are a tensor or that reduce nothing."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked, filled, numbers, same, whole

X = numbers(2, 3, 4) / 4


@pytest.mark.parametrize("as_slot", [False, True])
@pytest.mark.parametrize(
    ("axes", "keep"), [([1], False), ([1], True), ([-1, 0], False), ([-1, 0], True), ([], False), ([], True)]
)
@pytest.mark.parametrize("op", ["logsumexp", "reduce_sum", "reduce_max"])
def test_logsumexp_over_axes(op: str, axes: list[int], keep: bool, as_slot: bool) -> None:
    chosen = sorted(axis % 3 for axis in axes) or [0, 1, 2]
    joins: dict[str, Callable[[list[float]], float]] = {
        "logsumexp": lambda v: math.log(sum(map(math.exp, v))),
        "reduce_sum": sum,
        "reduce_max": max,
    }

    def element(*at: int) -> float:
        rest = iter(at)
        place = [slice(None) if axis in chosen else next(rest) for axis in range(3)]
        return float(joins[op](X[tuple(place)].astype(np.float64).reshape(-1).tolist()))

    wanted = filled([size for axis, size in enumerate(X.shape) if axis not in chosen], np.float32, element)
    inputs = {"X": X, **({"AxisTensor": whole(*axes)} if as_slot else {})}
    (got,) = checked(op, inputs, {"keep_dim": keep} if as_slot else {"keep_dim": keep, "dim": [*axes]})

    shape = (
        tuple(1 if axis in chosen else size for axis, size in enumerate(X.shape)) if keep else wanted.shape
    )
    assert got.dtype == np.float32
    assert got.shape == shape
    np.testing.assert_allclose(got, wanted.reshape(shape), rtol=1e-5)


@pytest.mark.parametrize(
    ("x", "wanted"),
    [
        ([1000.0, 1000.0], 1000 + math.log(2)),
        ([-math.inf, -math.inf], -math.inf),
        ([math.inf, 0.0], math.inf),
    ],
)
def test_large_and_infinite_elements_do_not_overflow(x: list[float], wanted: float) -> None:
    (got,) = checked("logsumexp", {"X": float32(x)})

    np.testing.assert_allclose(got, np.float32(wanted), rtol=1e-6)


@pytest.mark.parametrize(
    ("dtype", "least", "greatest"),
    [(np.float32, -np.inf, np.inf), (np.int8, -128, 127), (np.bool_, False, True), (np.uint16, 0, 65535)],
)
def test_extremes_of_no_elements_are_the_limits_of_the_type(
    dtype: type[np.generic], least: float, greatest: float
) -> None:
    x = np.zeros((2, 0), dtype)

    for op, number in (("reduce_max", least), ("reduce_min", greatest)):
        (got,) = checked(op, {"X": x}, {"dim": [1], "keep_dim": True})
        same(got, np.full((2, 1), number, dtype))


@pytest.mark.parametrize(("op", "wanted"), [("arg_max", [2, 3]), ("arg_min", [3, 0])])
def test_the_last_of_equal_elements_may_be_found(op: str, wanted: list[int]) -> None:
    x = float32([[2, 1, 2, 1], [0, 3, 3, 3]])

    (got,) = checked(op, {"X": x}, {"select_last_index": True})
    (flat,) = checked(op, {"X": x}, {"select_last_index": True, "flatten": True})

    same(got, np.array(wanted))
    same(flat, np.array(7 if op == "arg_max" else 4))
