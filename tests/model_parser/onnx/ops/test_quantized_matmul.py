"""Matrix products of quantised tensors, against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import lite
from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import run
from tests.model_parser.onnx.onnxruntime_models import (
    QUANTISED,
    check_against_onnxruntime,
    codes,
    contrib_model,
    scale_and_zero,
    weights,
)

Dtype = type[np.generic]
RNG = np.random.default_rng(3)


def _per_column(columns: int, dtype: Dtype) -> tuple[Array, Array]:
    """Scales from 0.001 to 0.01 and zero points, one per column."""
    scales = np.linspace(0.001, 0.01, columns, dtype=np.float32)
    return scales, np.full(columns, 3, dtype)


@pytest.mark.parametrize("dtype", QUANTISED)
@pytest.mark.parametrize("target", [(0.9, 5), (0.05, 3)])
@pytest.mark.parametrize("transposed", [0, 1])
def test_qgemm_per_column(dtype: Dtype, target: tuple[float, int], transposed: int) -> None:
    x, y = codes((7, 30), dtype), weights((50, 30), seed=1)
    bias = RNG.integers(-9999, 9999, 50, np.int32)
    inputs = [x, *scale_and_zero(0.05, 9, dtype), y if transposed else y.T.copy(), *_per_column(50, np.int8)]

    check_against_onnxruntime(
        "QGemm",
        [*inputs, bias, *scale_and_zero(*target, dtype)],
        {"transB": transposed, "alpha": 0.75},
        constants=[1, 2, 3, 4, 5, 6, 7, 8],
    )


@pytest.mark.parametrize("dtype", QUANTISED)
def test_qgemm_with_halves(dtype: Dtype) -> None:
    x, y = codes((30, 7), dtype), weights((30, 5), seed=1)
    inputs = [x, *scale_and_zero(0.25, 9, dtype), y, *scale_and_zero(0.25, 4, np.int8), None]

    check_against_onnxruntime("QGemm", [*inputs, *scale_and_zero(32, 7, dtype)], {"transA": 1})


@pytest.mark.parametrize("dtype", QUANTISED)
@pytest.mark.parametrize("alpha", [1.0, 0.3])
def test_qgemm_to_float(dtype: Dtype, alpha: float) -> None:
    x, y = codes((7, 30), dtype), weights((30, 50), seed=1)
    inputs = [x, *scale_and_zero(0.05, 9, dtype), y, *_per_column(50, np.int8)]

    check_against_onnxruntime(
        "QGemm", [*inputs, RNG.integers(-99, 99, (1, 50), np.int32)], {"alpha": alpha}, tolerance=1e-6
    )


@pytest.mark.parametrize("dtype", QUANTISED)
@pytest.mark.parametrize("shape", [(4, 30), (2, 3, 30)])
def test_qlinear_matmul_per_column(dtype: Dtype, shape: tuple[int, ...]) -> None:
    x, y = codes(shape, dtype), weights((30, 50), seed=1)
    first, target = scale_and_zero(0.05, 9, dtype), scale_and_zero(0.9, 5, dtype)

    check_against_onnxruntime(
        "QLinearMatMul", [x, *first, y, *_per_column(50, np.int8), *target], domain="", constants=[3, 4, 5]
    )


@pytest.mark.parametrize("kinds", [(np.uint8, np.int8), (np.uint8, np.uint8), (np.int8, np.int8)])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("per_column", [False, True])
def test_matmul_integer_to_float(kinds: tuple[Dtype, Dtype], bias: bool, per_column: bool) -> None:
    first, second = kinds
    x, y = codes((2, 5, 30), first), weights((30, 50), second, 1)
    scale, zero = _per_column(50, second) if per_column else scale_and_zero(0.02, 3, second)
    addend = RNG.standard_normal(50).astype(np.float32) if bias else None

    check_against_onnxruntime(
        "MatMulIntegerToFloat",
        [x, y, np.array(0.05, np.float32), scale, np.array(9, first), zero, addend],
        constants=[1, 2, 3, 4, 5],
        tolerance=1e-6,
    )


@pytest.mark.parametrize("dtype", QUANTISED)
@pytest.mark.parametrize("per_column", [False, True])
def test_dynamic_quantize_matmul(dtype: Dtype, per_column: bool) -> None:
    x, y = RNG.standard_normal((2, 5, 30)).astype(np.float32), weights((30, 50), dtype)
    scale, zero = _per_column(50, dtype) if per_column else scale_and_zero(0.02, 3, dtype)
    bias = RNG.standard_normal(50).astype(np.float32)

    check_against_onnxruntime("DynamicQuantizeMatMul", [x, y, scale, zero, bias], tolerance=1e-5)
    check_against_onnxruntime("DynamicQuantizeMatMul", [x, y, scale], tolerance=1e-5)


def _blocks(bits: int, rows: int, columns: int, block: int) -> tuple[Array, Array, Array]:
    """Packed numbers, scales and zero points."""
    count = -(-columns // block)
    packed = RNG.integers(0, 256, (rows, count, block * bits // 8), np.uint8)
    scales = RNG.uniform(0.01, 0.1, rows * count).astype(np.float32)
    return packed, scales, RNG.integers(0, 256, rows * -(-count * bits // 8), np.uint8)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize(("columns", "block"), [(64, 32), (70, 16), (48, 16)])
@pytest.mark.parametrize("zero_points", [False, True])
def test_matmul_nbits(bits: int, columns: int, block: int, zero_points: bool) -> None:
    rows = 24
    packed, scales, zeros = _blocks(bits, rows, columns, block)
    x = RNG.standard_normal((2, 3, columns)).astype(np.float32)
    attrs = {"N": rows, "K": columns, "bits": bits, "block_size": block}

    check_against_onnxruntime(
        "MatMulNBits",
        [x, packed, scales, zeros if zero_points else None],
        attrs,
        constants=[1, 2, 3],
        tolerance=2e-5,
    )


@pytest.mark.parametrize(("columns", "block"), [(128, 32), (129, 16)])
@pytest.mark.parametrize("zero_points", [False, True])
@pytest.mark.parametrize("bits", [4, 8])
def test_large_weights_stay_packed(bits: int, columns: int, block: int, zero_points: bool) -> None:
    rows = 200
    packed, scales, zeros = _blocks(bits, rows, columns, block)
    x = RNG.standard_normal((3, columns)).astype(np.float32)
    inputs = [x, packed, scales, zeros if zero_points else None]
    attrs = {"N": rows, "K": columns, "bits": bits, "block_size": block}

    check_against_onnxruntime("MatMulNBits", inputs, attrs, constants=[1, 2, 3], tolerance=5e-5)

    model = contrib_model("MatMulNBits", inputs, attrs, constants=[1, 2, 3])
    predictor = lite.create_predictor(lite.Config(model_buffer=model.SerializeToString()))
    predictor.run({"x0": x})
    is_packed = "stored_fc" in str(predictor.profile({"x0": x}, runs=1))
    is_even = -(-columns // -(-columns // block)) == block
    is_symmetric = bits == 4 or not zero_points
    assert is_packed == (is_even and is_symmetric)


@pytest.mark.parametrize("rows", [3, 200])
@pytest.mark.parametrize("bits", [4, 8])
def test_matmul_nbits_with_scales_that_are_not_positive(bits: int, rows: int) -> None:
    """Symmetric quantisation lets the largest number have the lowest integer."""
    packed, scales, _ = _blocks(bits, rows, 128, 32)
    scales *= RNG.choice(np.array([-1, 0, 1], np.float32), scales.shape)
    x = RNG.standard_normal((3, 128)).astype(np.float32)
    attrs = {"N": rows, "K": 128, "bits": bits, "block_size": 32}
    check_against_onnxruntime("MatMulNBits", [x, packed, scales], attrs, constants=[1, 2], tolerance=5e-5)


@pytest.mark.parametrize(("rows", "columns", "block"), [(3, 8, 16), (5, 6, 16), (7, 48, 32)])
@pytest.mark.parametrize("kind", [0, 1])
def test_matmul_bnb4(kind: int, rows: int, columns: int, block: int) -> None:
    """Blocks begin in one row and end in the next where the rows are no multiple of them."""
    packed = RNG.integers(0, 256, rows * columns // 2).astype(np.uint8)
    largest = RNG.uniform(0.5, 2, -(-rows * columns // block)).astype(np.float32)
    x = RNG.standard_normal((2, 3, columns)).astype(np.float32)
    attrs = {"N": rows, "K": columns, "block_size": block, "quant_type": kind}
    check_against_onnxruntime("MatMulBnb4", [x, packed, largest], attrs, constants=[1, 2], tolerance=2e-5)


def test_an_unknown_kind_of_4_bits_is_refused() -> None:
    inputs: list[Array | None] = [
        np.zeros((3, 16), np.float32),
        np.zeros(8, np.uint8),
        np.ones(1, np.float32),
    ]
    attrs = {"N": 1, "K": 16, "block_size": 16, "quant_type": 2}
    with pytest.raises(ModelParseError, match=r"quant_type 0 or 1, and transB 1, got 16, 1, 16, 2 and 1"):
        run(contrib_model("MatMulBnb4", inputs, attrs, constants=[1, 2]), {})


def test_matmul_nbits_with_bias_and_ignored_accuracy_level() -> None:
    packed, scales, _ = _blocks(4, 24, 64, 32)
    x, bias = RNG.standard_normal((3, 64)).astype(np.float32), RNG.standard_normal(24).astype(np.float32)
    attrs = {"N": 24, "K": 64, "bits": 4, "block_size": 32, "accuracy_level": 1}

    check_against_onnxruntime(
        "MatMulNBits", [x, packed, scales, None, None, bias], attrs, constants=[1, 2, 5], tolerance=2e-5
    )


@pytest.mark.parametrize("grouped", [False, True])
def test_matmul_nbits_with_float_zero_points_and_groups(grouped: bool) -> None:
    packed, scales, _ = _blocks(4, 24, 64, 32)
    zeros = RNG.uniform(5, 9, 48).astype(np.float32)
    groups = RNG.permutation(np.repeat(np.arange(2, dtype=np.int32), 32)) if grouped else None
    x = RNG.standard_normal((3, 64)).astype(np.float32)
    attrs = {"N": 24, "K": 64, "bits": 4, "block_size": 32}

    check_against_onnxruntime(
        "MatMulNBits", [x, packed, scales, zeros, groups], attrs, constants=[1, 2, 3, 4], tolerance=2e-5
    )


@pytest.mark.parametrize(
    ("changes", "constants", "reason"),
    [
        ({"bits": 2}, [1, 2], "attribute bits: expected 4 or 8, got 2"),
        ({"block_size": 0}, [1, 2], "block_size, N and K: expected 1 or more, got 0, 24 and 64"),
        ({"N": 23}, [1, 2], r"input 1 \('x1'\): expected 736 elements by N, K, bits and block_size, got 768"),
        ({}, [2], r"input 1 \('x1'\) is computed, expected an initialiser"),
    ],
)
def test_invalid_matmul_nbits_are_refused(changes: dict[str, Any], constants: list[int], reason: str) -> None:
    packed, scales, _ = _blocks(4, 24, 64, 32)
    attrs = {"N": 24, "K": 64, "bits": 4, "block_size": 32, **changes}
    model = contrib_model(
        "MatMulNBits", [np.zeros((3, 64), np.float32), packed, scales], attrs, constants=constants
    )

    with pytest.raises(ModelParseError, match=reason):
        run(model, {})


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("zero_points", [False, True])
@pytest.mark.parametrize("shape", [(3,), (2, 3)])
def test_gather_block_quantized(bits: int, zero_points: bool, shape: tuple[int, ...]) -> None:
    table = RNG.integers(0, 256, (10, 64 * bits // 8), np.uint8)
    scales = RNG.uniform(0.01, 0.1, (10, 4)).astype(np.float32)
    zeros = RNG.integers(0, 256, (10, 4 * bits // 8), np.uint8) if zero_points else None

    check_against_onnxruntime(
        "GatherBlockQuantized",
        [table, RNG.integers(0, 10, shape), scales, zeros],
        {"bits": bits, "block_size": 16, "gather_axis": 0, "quantize_axis": 1},
        constants=[0, 2, 3],
    )


@pytest.mark.parametrize("dtype", [ml_dtypes.int4, ml_dtypes.uint4])
def test_gather_block_quantized_of_4_bit_types(dtype: Dtype) -> None:
    low = -8 if dtype is ml_dtypes.int4 else 0
    table, zeros = (
        RNG.integers(low, low + 16, (10, columns)).astype(np.int8).astype(dtype) for columns in (64, 4)
    )
    scales = RNG.uniform(0.01, 0.1, (10, 4)).astype(np.float32)
    attrs = {"block_size": 16, "gather_axis": 0, "quantize_axis": 1}

    for zero_points in (None, zeros):
        check_against_onnxruntime(
            "GatherBlockQuantized",
            [table, np.array([[1, 7]]), scales, zero_points],
            attrs,
            constants=[0, 2, 3],
            opset=21,
        )


def test_gather_block_quantized_along_other_axes_is_refused() -> None:
    inputs = [codes((10, 64), np.uint8), np.zeros(3, np.int64), np.ones((10, 4), np.float32)]
    model = contrib_model("GatherBlockQuantized", inputs, {"gather_axis": 1}, constants=[0, 2])

    with pytest.raises(ModelParseError, match="got 4 bits, 2 axes, gather_axis 1 and quantize_axis 1"):
        run(model, {})


def test_scales_of_a_wrong_length_are_refused() -> None:
    x, y = codes((7, 30), np.uint8), codes((30, 50), np.int8)
    inputs = [x, *scale_and_zero(0.05, 9, np.uint8), y, *_per_column(49, np.int8)]

    with pytest.raises(ModelParseError, match="a scale: expected 1 or 50 elements, got 49"):
        run(contrib_model("QGemm", inputs), {})
