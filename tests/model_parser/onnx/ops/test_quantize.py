"""Quantisation, and products of quantised tensors."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto

from lite.errors import GraphError, ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import check_against_reference, check_equal, model_of, run
from tests.model_parser.onnx.onnxruntime_models import (
    QUANTISED,
    check_against_onnxruntime,
    codes,
    contrib_model,
    feeds_of,
    run_configurations,
    run_onnxruntime,
    scale_and_zero,
    weights,
)

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


@pytest.mark.parametrize("dtype", QUANTISED)
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("target", [(0.9, 5), (0.05, 3)])
def test_qlinear_conv_equals_onnx_runtime(
    dtype: type[np.generic], per_channel: bool, target: tuple[float, int]
) -> None:
    scale, zero = scale_and_zero(0.0131, 3, np.int8)
    if per_channel:
        scale, zero = np.linspace(0.001, 0.02, 5, dtype=np.float32), np.zeros(5, np.int8)
    inputs = [codes((2, 3, 7, 6), dtype), *scale_and_zero(0.05, 9, dtype), weights((5, 3, 3, 3), seed=1)]
    bias = np.random.default_rng(2).integers(-999, 999, 5, np.int32)

    check_against_onnxruntime(
        "QLinearConv",
        [*inputs, scale, zero, *scale_and_zero(*target, dtype), bias],
        {"pads": [1, 1, 0, 0], "strides": [2, 1]},
        domain="",
        constants=[3, 4, 5],
    )


@pytest.mark.parametrize("channels_last", [0, 1])
def test_qlinear_conv_of_onnx_runtimes_domain(channels_last: int) -> None:
    shape = (2, 7, 6, 3) if channels_last else (2, 3, 7, 6)
    numbers = [*scale_and_zero(0.0131, 3, np.int8), *scale_and_zero(0.9, 5, np.uint8)]
    inputs = [codes(shape, np.uint8), *scale_and_zero(0.05, 9, np.uint8), weights((5, 3, 3, 2), seed=1)]

    check_against_onnxruntime(
        "QLinearConv",
        [*inputs, *numbers],
        {"pads": [1, 1, 0, 0], "channels_last": channels_last},
        constants=[3, 4, 5],
    )


def test_qlinear_conv_near_a_half_may_differ_from_float32() -> None:
    """ONNX Runtime multiplies sums by a rounded factor in float32; litebridge rounds the exact value.

    With scales 0.05, 0.01 and 0.9, a sum of 900 is 0.5 in decimals: the value before rounding is within
    1e-4 of a half, and the results differ by one.
    """
    x, weight = np.arange(256, dtype=np.uint8).reshape(1, 1, 16, 16), np.full((1, 1, 1, 1), 36, np.int8)
    zero, filter_zero = np.array(0, np.uint8), np.array(0, np.int8)
    scales = [np.array(scale, np.float32) for scale in (0.05, 0.01, 0.9)]
    inputs: list[Array] = [x, scales[0], zero, weight, scales[1], filter_zero, scales[2], zero]
    model = contrib_model("QLinearConv", inputs, domain="")
    feeds = feeds_of(model, inputs)
    factor = float(scales[0]) * float(scales[1]) / float(scales[2])
    exact = x.astype(np.float64) * 36 * factor

    (expected,) = run_onnxruntime(model, feeds)
    for (result,) in run_configurations(model, feeds):
        differs = result != expected
        assert np.abs(result.astype(int) - expected.astype(int)).max() <= 1
        assert np.all(np.abs(exact[differs] - np.floor(exact[differs]) - 0.5) < 1e-4)
        np.testing.assert_array_equal(result, np.rint(exact))


@pytest.mark.parametrize("dtype", QUANTISED)
@pytest.mark.parametrize("scale", [[0.5], [0.25, 2.0, 1.0]])
def test_ops_of_onnx_runtimes_domain(dtype: type[np.generic], scale: list[float]) -> None:
    factors, zero = np.array(scale, np.float32), np.arange(len(scale)).astype(dtype)

    check_against_onnxruntime("QuantizeLinear", [X, factors, zero], {"axis": 1})
    check_against_onnxruntime("DequantizeLinear", [codes((2, 3), dtype), factors, zero], {"axis": 1})


@pytest.mark.parametrize("rank", [0, 1])
def test_one_scale_has_no_axis(rank: int) -> None:
    """A vector has no axis 1, which is the default."""
    scale, zero = np.full([1] * rank, 0.5, np.float32), np.full([1] * rank, 3, np.int8)

    check_against_reference("DequantizeLinear", [codes((16,), np.int8), scale, zero], constants=[1, 2])
    check_against_reference("QuantizeLinear", [X[0], scale, zero], constants=[1, 2])


@pytest.mark.parametrize(
    ("op", "scale", "shown"),
    [
        ("QuantizeLinear", -0.5, "-0.5"),
        ("QuantizeLinear", 0.0, "0"),
        ("QuantizeLinear", float("nan"), "nan"),
        ("DequantizeLinear", float("nan"), "nan"),
        ("DequantizeLinear", float("inf"), "inf"),
    ],
)
def test_an_invalid_scale_is_refused(op: str, scale: float, shown: str) -> None:
    x = X if op == "QuantizeLinear" else codes((2, 3), np.uint8)
    numbers: list[Array] = [np.array([1.0, scale, 1.0], np.float32), np.zeros(3, np.uint8)]
    expected = "finite numbers greater than 0" if op == "QuantizeLinear" else "finite numbers"
    reason = (
        rf"node node \({op}\): input 1 \('x1'\), a scale: expected {expected}, "
        f"got {shown} at element 1 of 3; quantise the model again"
    )

    with pytest.raises(ModelParseError, match=reason):
        run(model_of(op, [x, *numbers], constants=[1, 2]), {"x0": x})


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32])
@pytest.mark.parametrize("constants", [[1, 2], [0, 1, 2]])
def test_scales_that_are_not_positive(dtype: type[np.generic], constants: list[int]) -> None:
    x, zeros = codes((4, 3, 5), dtype), codes((3,), dtype) if dtype != np.int32 else np.zeros(3, dtype)

    scales = np.array([-0.25, 0.0, 1.5], np.float32)
    check_against_reference("DequantizeLinear", [x, scales, zeros], constants=constants)
    one: list[Array] = [np.array(-0.1, np.float32), np.array(zeros[0])]
    check_against_reference("DequantizeLinear", [x, *one], {"axis": 0}, constants=constants)


def test_a_missing_scale_is_refused() -> None:
    with pytest.raises(ModelParseError, match=r"node node \(DequantizeLinear\): input 1 is missing"):
        run(model_of("DequantizeLinear", [codes((2, 3), np.uint8)]), {})


def test_a_scale_of_a_wrong_length_is_refused() -> None:
    model = model_of("DequantizeLinear", [codes((2, 3), np.uint8), np.ones(4, np.float32)], constants=[1])

    with pytest.raises(GraphError, match=r"slot Scale: expected 1 element, or 3, one per slice of axis 1"):
        run(model, {})


@pytest.mark.parametrize("zero", [np.array(3, np.int8), np.array(3, np.int32)])
def test_a_zero_point_of_another_type_is_refused(zero: Array) -> None:
    x = codes((2, 3), np.uint8)
    model = model_of("DequantizeLinear", [x, np.array(0.5, np.float32), zero], constants=[1, 2])

    with pytest.raises(ModelParseError, match=rf"input 2 \('x2'\).*expected uint8, .*got {zero.dtype}"):
        run(model, {"x0": x})


def test_filter_scales_of_a_wrong_length_are_refused() -> None:
    x, weight = codes((1, 2, 4, 5), np.uint8), codes((3, 2, 2, 3), np.uint8)
    numbers = scale_and_zero(0.1, 3, np.uint8)
    inputs = [x, *numbers, weight, np.ones(2, np.float32), numbers[1], *numbers]

    with pytest.raises(ModelParseError, match=r"input 4 \('x4'\), a scale: expected 1 or 3 elements, got 2"):
        run(model_of("QLinearConv", inputs), {})


def test_quantize_a_scalar() -> None:
    scalars: list[Array] = [np.array(2.3, np.float32), np.array(0.5, np.float32)]

    check_against_reference("QuantizeLinear", scalars, {"axis": 1}, constants=[1])
