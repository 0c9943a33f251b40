"""quantized_conv2d and quantized_fc, one output at a time from the definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lite.errors import GraphError
from lite.ir.program import AttrValue
from lite.ir.types import Array
from tests.kernels.host.arrays import float32
from tests.kernels.host.checked import checked

ZERO = 3


def drawn(shape: tuple[int, ...], dtype: type, seed: int) -> Array:
    low, high = (0, 256) if dtype is np.uint8 else (-128, 128)
    return np.random.default_rng(seed).integers(low, high, shape, dtype)


def convolution(x: Array, weight: Array, padding: int, stride: int, groups: int) -> Array:
    """The sums of products; the border of the image has the zero point."""
    batch, _, height, width = x.shape
    outputs, per_group, down, right = weight.shape
    sizes = [(size + 2 * padding - k) // stride + 1 for size, k in ((height, down), (width, right))]
    y = np.zeros((batch, outputs, *sizes), np.int64)
    for n, o, i, j in np.ndindex(*y.shape):
        first = o // (outputs // groups) * per_group
        for c, a, b in itertools.product(range(per_group), range(down), range(right)):
            row, column = i * stride - padding + a, j * stride - padding + b
            if 0 <= row < height and 0 <= column < width:
                y[n, o, i, j] += (int(x[n, first + c, row, column]) - ZERO) * int(weight[o, c, a, b])
    return y


@pytest.mark.parametrize(("groups", "stride"), [(1, 1), (2, 2), (4, 1)])
def test_convolution_is_the_scaled_sum(groups: int, stride: int) -> None:
    x, weight = drawn((2, 4, 5, 6), np.uint8, 1), drawn((4, 4 // groups, 3, 3), np.int8, 2)
    scale, bias = float32([0.5, 0.25, 2.0, 1.0]), float32([1.0, -2.0, 0.5, 0.0])
    inputs = {"Input": x, "Filter": weight, "Scale": scale, "Bias": bias}
    attrs: dict[str, AttrValue] = {
        "strides": [stride] * 2,
        "paddings": [1, 1],
        "groups": groups,
        "zero_point": ZERO,
    }
    (y,) = checked("quantized_conv2d", inputs, attrs)
    sums = convolution(x, weight, 1, stride, groups)
    expected = sums * scale[:, None, None] + bias[:, None, None]
    np.testing.assert_allclose(y, expected, rtol=1e-6, atol=1e-6)


def test_convolution_with_all_steps_ends_in_bytes() -> None:
    x, weight = drawn((1, 2, 3, 4), np.uint8, 3), drawn((3, 2, 1, 1), np.int8, 4)
    residual = drawn((1, 3, 3, 4), np.int8, 5).astype(np.float32)
    inputs = {
        "Input": x,
        "Filter": weight,
        "Scale": float32([0.125]),
        "ResidualData": residual,
        "PostScale": float32([2.0, 0.5, 1.0]),
        "PostShift": float32([1.0]),
    }
    attrs: dict[str, AttrValue] = {
        "activation": "relu",
        "zero_point": ZERO,
        "out_scale": 8.0,
        "out_zero_point": 5,
    }
    (y,) = checked("quantized_conv2d", inputs, attrs)
    real = np.maximum(convolution(x, weight, 0, 1, 1) * 0.125 + residual, 0)
    real = real * np.array([2.0, 0.5, 1.0])[:, None, None] + 1
    np.testing.assert_array_equal(y, np.clip(np.rint(real / 8) + 5, 0, 255).astype(np.uint8))


def test_images_with_channels_last() -> None:
    x, weight = drawn((1, 2, 4, 4), np.uint8, 6), drawn((3, 2, 2, 2), np.int8, 7)
    inputs = {"Input": x.transpose(0, 2, 3, 1).copy(), "Filter": weight, "Scale": float32([1.0])}
    (y,) = checked("quantized_conv2d", inputs, {"data_format": "NHWC", "zero_point": ZERO})
    np.testing.assert_array_equal(y.transpose(0, 3, 1, 2), convolution(x, weight, 0, 1, 1))


@pytest.mark.parametrize("out_scale", [0.0, 16.0])
def test_product_of_rows(out_scale: float) -> None:
    x, weight = drawn((2, 3, 4), np.uint8, 8), drawn((4, 5), np.int8, 9)
    scale, bias = float32([0.5]), float32([1.5] * 5)
    attrs: dict[str, AttrValue] = {
        "in_num_col_dims": 2,
        "activation": "relu6",
        "activation_params": [900.0],
        "zero_point": ZERO,
    }
    inputs = {"Input": x, "W": weight, "Scale": scale, "Bias": bias}
    (y,) = checked("quantized_fc", inputs, attrs | {"out_scale": out_scale})
    real = np.zeros((2, 3, 5))
    for n, row, column in np.ndindex(*real.shape):
        total = sum((int(x[n, row, k]) - ZERO) * int(weight[k, column]) for k in range(4))
        real[n, row, column] = min(max(total * 0.5 + 1.5, 0.0), 900.0)
    if out_scale:
        np.testing.assert_array_equal(y, np.clip(np.rint(real / out_scale), 0, 255).astype(np.uint8))
    else:
        np.testing.assert_array_equal(y, real.astype(np.float32))


def test_weights_of_another_depth_are_refused() -> None:
    inputs = {"Input": drawn((2, 4), np.uint8, 1), "W": drawn((3, 5), np.int8, 2), "Scale": float32([1.0])}
    with pytest.raises(GraphError, match="quantized_fc"):
        checked("quantized_fc", inputs)
