"""Compensated rounding and the geometry of layers, against convolutions in plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from lite.quantization.geometry import Geometry, onnx_geometry, paddle_geometry
from lite.quantization.grid import QuantizedWeight, quantize_weight
from lite.quantization.rounding import Correlation


def convolution(x: Array, weight: Array, geometry: Geometry) -> Array:
    """``float64[N, C, H, W]``, term by term."""
    top, bottom, left, right = geometry.pads
    padded = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right))).astype(np.float64)
    outputs, inputs, height, width = weight.shape
    reach = [(size - 1) * d + 1 for size, d in zip((height, width), geometry.dilations, strict=True)]
    rows, columns = (
        (size - r) // s + 1 for size, r, s in zip(padded.shape[2:], reach, geometry.strides, strict=True)
    )
    result = np.zeros((len(x), outputs, rows, columns))
    for o in range(outputs):
        first = o // (outputs // geometry.groups) * inputs
        for i in range(rows):
            for j in range(columns):
                y, z = i * geometry.strides[0], j * geometry.strides[1]
                window = padded[:, first : first + inputs, y : y + reach[0], z : z + reach[1]]
                picked = window[:, :, :: geometry.dilations[0], :: geometry.dilations[1]]
                result[:, o, i, j] = (picked * weight[o]).sum(axis=(1, 2, 3))
    return result


GEOMETRIES = [
    Geometry((1, 1)),
    Geometry((3, 3), (1, 1), (1, 1, 1, 1)),
    Geometry((3, 2), (2, 1), (0, 1, 2, 0), (1, 2)),
    Geometry((3, 3), (2, 2), (1, 1, 1, 1), (1, 1), 4),
    Geometry((1, 1), groups=2),
]


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
def test_rows_times_matrices_are_the_convolution(geometry: Geometry) -> None:
    rng = np.random.default_rng(0)
    assert geometry.kernel is not None
    x = rng.standard_normal((2, 4, 7, 6)).astype(np.float32)
    weight = rng.standard_normal((8, 4 // geometry.groups, *geometry.kernel)).astype(np.float32)

    rows = geometry.rows(x, 10**6, rng)
    matrices = geometry.matrices(weight, 0)

    assert matrices is not None
    products = np.matmul(rows.astype(np.float64), matrices.transpose(0, 2, 1))
    expected = convolution(x, weight, geometry)
    got = products.transpose(1, 0, 2).reshape(2, *expected.shape[2:], 8).transpose(0, 3, 1, 2)
    np.testing.assert_allclose(got, expected, atol=1e-5)
    np.testing.assert_array_equal(geometry.weight(matrices, weight, 0), weight)


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
def test_compensated_weights_have_less_error_on_the_data(geometry: Geometry, bits: int) -> None:
    rng = np.random.default_rng(1)
    assert geometry.kernel is not None
    weight = rng.standard_normal((8, 4 // geometry.groups, *geometry.kernel)).astype(np.float32)
    # Activations after a relu: their means are not 0, so errors of the same sign add up.
    mixed = np.einsum("oc,nchw->nohw", rng.standard_normal((4, 4)), rng.standard_normal((16, 4, 9, 8)))
    x = np.maximum(mixed + 1, 0).astype(np.float32)
    correlation = Correlation(geometry)
    correlation.see(x)
    exact = convolution(x, weight, geometry)

    def error(quantized: QuantizedWeight) -> float:
        return float(np.square(convolution(x, quantized.dequantized(), geometry) - exact).mean())

    compensated, nearest = correlation.quantized(weight, 0, bits), quantize_weight(weight, 0, bits)

    np.testing.assert_array_equal(compensated.steps, nearest.steps)
    assert np.abs(compensated.values).max() <= 2 ** (bits - 1) - 1
    assert error(compensated) <= error(nearest) * (0.95 if weight[0].size > 2 else 1)


def test_matrix_products_are_compensated_along_their_rows() -> None:
    rng = np.random.default_rng(2)
    weight = rng.standard_normal((16, 5)).astype(np.float32)
    x = rng.uniform(0, 1, (300, 16)).astype(np.float32)
    correlation = Correlation(Geometry())
    correlation.see(x)

    compensated, nearest = correlation.quantized(weight, 1, 4), quantize_weight(weight, 1, 4)

    errors = [np.square(x @ each.dequantized() - x @ weight).mean() for each in (compensated, nearest)]
    assert errors[0] < 0.7 * errors[1]


def test_data_of_another_size_leave_the_nearest_integers() -> None:
    weight = np.random.default_rng(3).standard_normal((6, 5)).astype(np.float32)
    correlation = Correlation(Geometry())
    correlation.see(np.ones((2, 3), np.float32))

    np.testing.assert_array_equal(
        correlation.quantized(weight, 1, 8).values, quantize_weight(weight, 1, 8).values
    )


def test_geometries_follow_the_attributes() -> None:
    paddle = {"strides": [2, 1], "paddings": [1, 0], "dilations": [1, 2], "groups": 3}
    onnx = {"strides": [2, 1], "pads": [1, 0, 1, 0], "dilations": [1, 2], "group": 3}
    expected = Geometry((3, 5), (2, 1), (1, 1, 0, 0), (1, 2), 3)

    assert paddle_geometry("conv2d", (9, 1, 3, 5), paddle) == expected  # type: ignore[arg-type]
    assert onnx_geometry("Conv", (9, 1, 3, 5), onnx) == expected  # type: ignore[arg-type]
    assert paddle_geometry("conv2d", (9, 1, 3, 5), {"padding_algorithm": "SAME"}) is None
    assert paddle_geometry("matmul_v2", (3, 5), {"trans_x": True}) is None
    assert onnx_geometry("Conv", (9, 1, 3, 5), {"auto_pad": "SAME_UPPER"}) is None
