"""Quantisation, and products of quantised tensors."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto

from lite.ir.types import Array
from tests.model_parser.onnx.node_models import check_against_reference, check_equal, model_of, run

X = np.array([[-300.0, -2.5, -0.25], [0.75, 2.5, 300.0]], np.float32)
RNG = np.random.default_rng(5)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16])
def test_quantize_equals_the_reference(dtype: type[np.generic]) -> None:
    check_against_reference(
        "QuantizeLinear", [X, np.array(0.5, np.float32), np.array(3, dtype)], constants=[1, 2]
    )


@pytest.mark.parametrize(("axis", "scale"), [(0, [0.5, 2.0]), (1, [0.5, 2.0, 1.0]), (-1, [0.5, 2.0, 1.0])])
def test_quantize_along_an_axis(axis: int, scale: list[float]) -> None:
    factors = np.array(scale, np.float32)

    check_against_reference(
        "QuantizeLinear", [X, factors, np.arange(len(scale), dtype=np.uint8)], {"axis": axis}
    )


def test_quantize_by_blocks() -> None:
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    scale = np.array([[0.5, 1.0, 2.0], [1.0, 1.0, 0.25]], np.float32)
    expected = np.clip(np.rint(x / scale.repeat(2, 1)), 0, 255).astype(np.uint8)

    outputs = run(
        model_of("QuantizeLinear", [x, scale], {"axis": 1, "block_size": 2}), {"x0": x, "x1": scale}
    )

    check_equal([outputs["y0"]], [expected])


def test_quantize_to_output_dtype() -> None:
    scale = np.array(2.0, np.float32)
    model = model_of("QuantizeLinear", [X, scale], {"output_dtype": TensorProto.INT8}, constants=[1])

    expected = np.clip(np.rint(X / 2), -128, 127).astype(np.int8)
    check_equal([run(model, {"x0": X})["y0"]], [expected])


@pytest.mark.parametrize("x", [np.array([[0, 7, 255]], np.uint8), np.array([[-9, 7, 100]], np.int8)])
def test_dequantize_equals_the_reference(x: Array) -> None:
    scale, zero = np.array(0.5, np.float32), np.array(5, x.dtype)

    check_against_reference("DequantizeLinear", [x, scale, zero], constants=[1, 2])
    check_against_reference("DequantizeLinear", [x, scale])


def test_dequantize_along_an_axis() -> None:
    x = np.arange(6, dtype=np.int32).reshape(2, 3)

    check_against_reference("DequantizeLinear", [x, np.array([2.0, 0.5], np.float32)], {"axis": 0})


@pytest.mark.parametrize("x", [X, np.abs(X), -np.abs(X), np.zeros((2, 2), np.float32)])
def test_dynamic_quantize_by_its_formula(x: Array) -> None:
    highest, lowest = max(float(x.max()), 0.0), min(float(x.min()), 0.0)
    scale = np.float32((np.float32(highest) - np.float32(lowest)) / np.float32(255))
    divisor = scale if scale else np.float32(1)
    zero = np.uint8(np.clip(np.rint(-np.float32(lowest) / divisor), 0, 255))
    expected = np.clip(np.rint(x / divisor) + zero, 0, 255).astype(np.uint8)

    results = run(model_of("DynamicQuantizeLinear", [x], outputs=3), {"x0": x})

    check_equal(list(results.values()), [expected, np.array(scale), np.array(zero)], 1e-7)


@pytest.mark.parametrize("zero_point_shapes", [(None, None), ((), ()), ((2,), (4,)), (None, (4,))])
def test_matmul_integer_subtracts_zero_points(zero_point_shapes: tuple[tuple[int, ...] | None, ...]) -> None:
    x, y = RNG.integers(0, 256, (2, 3), np.uint8), RNG.integers(-128, 128, (3, 4), np.int8)
    zeros = [
        None if shape is None else RNG.integers(1, 9, shape).astype(array.dtype)
        for shape, array in zip(zero_point_shapes, (x, y), strict=True)
    ]
    wide = [array.astype(np.int32) for array in (x, y)]
    if zeros[0] is not None:
        wide[0] = wide[0] - zeros[0].reshape(-1, 1)
    if zeros[1] is not None:
        wide[1] = wide[1] - zeros[1]

    feeds = {f"x{n}": array for n, array in enumerate([x, y, *zeros]) if array is not None}
    outputs = run(model_of("MatMulInteger", [x, y, *zeros]), feeds)

    np.testing.assert_array_equal(outputs["y0"], wide[0] @ wide[1])
    assert outputs["y0"].dtype == np.int32


def test_qlinear_matmul_equals_the_reference() -> None:
    x, y = RNG.integers(0, 256, (2, 3), np.uint8), RNG.integers(0, 256, (3, 4), np.uint8)
    zeros = [np.array(n, np.uint8) for n in (113, 114, 118)]
    scales = [np.array(n, np.float32) for n in (0.0066, 0.00705, 0.0107)]

    check_against_reference(
        "QLinearMatMul", [x, scales[0], zeros[0], y, scales[1], zeros[1], scales[2], zeros[2]]
    )


BYTES = np.random.default_rng(3).integers(0, 255, (1, 2, 4, 5)).astype(np.uint8)
FILTER = np.random.default_rng(4).integers(-90, 90, (3, 2, 2, 3)).astype(np.int8).view(np.uint8)
SCALE, ZERO_POINT = np.array(0.02, np.float32), np.array(8, np.uint8)


def test_conv_integer_equals_the_reference() -> None:
    check_against_reference("ConvInteger", [BYTES, FILTER, ZERO_POINT], {"pads": [0, 1, 1, 0]})


def test_qlinear_conv_equals_the_reference() -> None:
    out_scale = np.array(0.9, np.float32)
    inputs: list[Array] = [BYTES, SCALE, ZERO_POINT, FILTER, SCALE, ZERO_POINT, out_scale, ZERO_POINT]

    check_against_reference("QLinearConv", inputs, {"strides": [2, 1]}, tolerance=1e-4)
