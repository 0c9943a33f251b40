"""prelu against a loop over the elements."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lite.plugin.kernel import Array, host_kernel
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked

SHAPE = (2, 3, 4, 2)
X = np.random.default_rng(1).normal(0, 1, SHAPE).astype(np.float32)
Slope = Callable[[Array, tuple[int, ...]], float]


def expected(alpha: Array, slope: Slope) -> Array:
    result = X.copy()
    for index in np.ndindex(SHAPE):
        if X[index] < 0:
            result[index] = X[index] * slope(alpha, index)
    return result


@pytest.mark.parametrize(
    ("mode", "data_format", "alpha_shape", "slope"),
    [
        ("all", "NCHW", (1,), lambda alpha, _: alpha[0]),
        ("all", "NCHW", (), lambda alpha, _: alpha[()]),
        ("channel", "NCHW", (3,), lambda alpha, i: alpha[i[1]]),
        ("channel", "NCHW", (1, 3, 1, 1), lambda alpha, i: alpha[0, i[1], 0, 0]),
        ("channel", "NHWC", (2,), lambda alpha, i: alpha[i[3]]),
        ("element", "NCHW", (1, 3, 4, 2), lambda alpha, i: alpha[(0, *i[1:])]),
        ("element", "NCHW", (2, 3, 4, 2), lambda alpha, i: alpha[(0, *i[1:])]),
    ],
)
def test_each_mode_multiplies_negative_elements_by_its_slope(
    mode: str, data_format: str, alpha_shape: tuple[int, ...], slope: Slope
) -> None:
    alpha = np.random.default_rng(2).uniform(0.1, 2, alpha_shape).astype(np.float32)

    (got,) = checked("prelu", {"X": X, "Alpha": alpha}, {"mode": mode, "data_format": data_format})

    np.testing.assert_array_equal(got, expected(alpha, slope))


@pytest.mark.parametrize("shape", [(), (0, 3)])
def test_empty_tensors_and_scalars_keep_their_shape(shape: tuple[int, ...]) -> None:
    (got,) = checked("prelu", {"X": np.full(shape, -2, np.float32), "Alpha": float32([0.25])})

    np.testing.assert_array_equal(got, np.full(shape, -0.5, np.float32))


def test_the_result_may_overwrite_x() -> None:
    x = X.copy()

    host_kernel("prelu").run(x, float32([0.5]), mode="all", data_format="NCHW", out=x)

    np.testing.assert_array_equal(x, expected(float32([0.5]), lambda alpha, _: alpha[0]))
