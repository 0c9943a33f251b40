"""softmax and log_softmax against sums over one line of elements at a time."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from lite.errors import GraphError
from lite.plugin.kernel import Array, host_kernel
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked


def expected(x: Array, axis: int) -> Array:
    result = np.zeros(x.shape)
    lines, sums = np.moveaxis(x, axis, -1), np.moveaxis(result, axis, -1)
    for index in np.ndindex(lines.shape[:-1]):
        powers = [math.exp(v) for v in lines[index].tolist()]
        sums[index] = [power / sum(powers) for power in powers]
    return result


@pytest.mark.parametrize(
    ("shape", "axis"), [((3, 5), -1), ((3, 5), 0), ((2, 3, 4), 1), ((2, 3, 4), 2), ((7,), 0), ((2, 1), 1)]
)
def test_softmax_is_its_definition(shape: tuple[int, ...], axis: int) -> None:
    x = np.random.default_rng(1).normal(0, 3, shape).astype(np.float32)

    (got,) = checked("softmax", {"X": x}, {"axis": axis})
    (logarithm,) = checked("log_softmax", {"X": x}, {"axis": axis})

    np.testing.assert_allclose(got, expected(x, axis), rtol=1e-5)
    np.testing.assert_allclose(logarithm, np.log(expected(x, axis)), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(np.float16, 2e-3), (ml_dtypes.bfloat16, 2e-2), (np.float64, 1e-12)]
)
def test_half_and_double_precision_are_computed(name: str, dtype: type[np.generic], tolerance: float) -> None:
    x = np.random.default_rng(2).normal(0, 1, (2, 300)).astype(dtype)

    (got,) = checked(name, {"X": x})

    wanted = expected(x.astype(np.float64), -1)
    wanted = wanted if name == "softmax" else np.log(wanted)
    np.testing.assert_allclose(got.astype(np.float64), wanted, rtol=tolerance, atol=tolerance / 10)


def test_large_and_masked_elements_give_no_warnings() -> None:
    x = float32([[1000, 1000, -np.inf], [-np.inf, -np.inf, -np.inf]])

    (got,) = checked("softmax", {"X": x})

    np.testing.assert_array_equal(got, float32([[0.5, 0.5, 0], [np.nan] * 3]))


@pytest.mark.parametrize(("name", "value"), [("softmax", 1), ("log_softmax", 0)])
@pytest.mark.parametrize("shape", [(), (2, 0), (0, 3)])
def test_empty_tensors_and_scalars_keep_their_shape(name: str, value: float, shape: tuple[int, ...]) -> None:
    (got,) = checked(name, {"X": np.full(shape, 5, np.float32)})

    np.testing.assert_array_equal(got, np.full(shape, value, np.float32))


def test_the_result_may_overwrite_part_of_an_array() -> None:
    whole = np.random.default_rng(3).normal(0, 1, (3, 8)).astype(np.float32)
    wanted = expected(whole[:, :4], 1)
    rest = whole[:, 4:].copy()

    host_kernel("softmax").run(whole[:, :4], axis=1, out=whole[:, :4])

    np.testing.assert_allclose(whole[:, :4], wanted, rtol=1e-5)
    np.testing.assert_array_equal(whole[:, 4:], rest)


def test_an_axis_outside_is_refused() -> None:
    with pytest.raises(
        GraphError, match=r"softmax: attribute axis: expected an axis of float32\[2,3\], got 2"
    ):
        checked("softmax", {"X": np.zeros((2, 3), np.float32)}, {"axis": 2})
