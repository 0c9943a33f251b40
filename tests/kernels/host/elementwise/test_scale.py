"""scale against hand-worked numbers."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.program import AttrValue
from lite.plugin.kernel import Array
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked

X = np.array([[-2.0, -0.5], [0.0, 3.0]], np.float32)


@pytest.mark.parametrize(
    ("attrs", "wanted"),
    [
        ({}, [[-2, -0.5], [0, 3]]),
        ({"scale": 2.0}, [[-4, -1], [0, 6]]),
        ({"scale": 2.0, "bias": 1.0}, [[-3, 0], [1, 7]]),
        ({"scale": 2.0, "bias": 1.0, "bias_after_scale": False}, [[-2, 1], [2, 8]]),
        ({"scale": 2.0, "bias": 1.0, "activation": "relu"}, [[0, 0], [1, 7]]),
        ({"scale": 2.0, "activation": "leaky_relu", "activation_params": [0.25]}, [[-1, -0.25], [0, 6]]),
        (
            {
                "scale": 2.0,
                "activation": "relu6",
                "activation_params": [5.0],
                "scale1": 0.5,
                "bias1": 10.0,
            },
            [[10, 10], [10, 12.5]],
        ),
    ],
)
def test_floats_are_scaled_and_shifted(attrs: dict[str, AttrValue], wanted: list[list[float]]) -> None:
    (got,) = checked("scale", {"X": X}, attrs)

    np.testing.assert_allclose(got, float32(wanted), rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize(
    ("attrs", "wanted"),
    [
        ({"scale": 2.9, "bias": -1.9}, [-7, -1, 9]),
        ({"scale": 2.9, "bias": -1.9, "bias_after_scale": False}, [-8, -2, 8]),
    ],
)
def test_integers_truncate_scale_and_bias(
    dtype: type[np.integer], attrs: dict[str, AttrValue], wanted: list[int]
) -> None:
    (got,) = checked("scale", {"X": np.array([-3, 0, 5], dtype)}, attrs)

    np.testing.assert_array_equal(got, np.array(wanted, dtype))


def test_integers_wrap_around() -> None:
    (got,) = checked("scale", {"X": np.array([0, 1, 200], np.uint8)}, {"scale": -1.0, "bias": 300.0})
    np.testing.assert_array_equal(got, np.array([44, 43, 100], np.uint8))


@pytest.mark.parametrize("factor", [float32([3]), np.array(3, np.float32), np.array([3], np.int64)])
def test_factor_may_be_a_tensor(factor: Array) -> None:
    (got,) = checked("scale", {"X": X, "ScaleTensor": factor}, {"scale": 100.0, "bias": 1.0})

    np.testing.assert_allclose(got, X * 3 + 1)


@pytest.mark.parametrize("shape", [(), (0, 2)])
def test_empty_tensors_and_scalars_keep_their_shape(shape: tuple[int, ...]) -> None:
    (got,) = checked("scale", {"X": np.full(shape, 2, np.float32)}, {"scale": 3.0, "bias": 1.0})

    np.testing.assert_array_equal(got, np.full(shape, 7, np.float32))
