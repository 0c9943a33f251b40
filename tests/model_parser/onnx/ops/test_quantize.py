"""QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear against ONNX's reference."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto

from lite.ir.types import Array
from tests.model_parser.onnx.node_models import matches_reference, model_of, run, same

X = np.array([[-300.0, -2.5, -0.25], [0.75, 2.5, 300.0]], np.float32)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16])
def test_quantize(dtype: type[np.generic]) -> None:
    matches_reference("QuantizeLinear", [X, np.array(0.5, np.float32), np.array(3, dtype)], constants=[1, 2])


@pytest.mark.parametrize(("axis", "scale"), [(0, [0.5, 2.0]), (1, [0.5, 2.0, 1.0]), (-1, [0.5, 2.0, 1.0])])
def test_quantize_along_an_axis(axis: int, scale: list[float]) -> None:
    factors = np.array(scale, np.float32)

    matches_reference("QuantizeLinear", [X, factors, np.arange(len(scale), dtype=np.uint8)], {"axis": axis})


def test_quantize_by_blocks() -> None:
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    scale = np.array([[0.5, 1.0, 2.0], [1.0, 1.0, 0.25]], np.float32)
    wanted = np.clip(np.rint(x / scale.repeat(2, 1)), 0, 255).astype(np.uint8)

    found = run(model_of("QuantizeLinear", [x, scale], {"axis": 1, "block_size": 2}), {"x0": x, "x1": scale})

    same([found["y0"]], [wanted])


def test_output_dtype() -> None:
    scale = np.array(2.0, np.float32)
    model = model_of("QuantizeLinear", [X, scale], {"output_dtype": TensorProto.INT8}, constants=[1])

    wanted = np.clip(np.rint(X / 2), -128, 127).astype(np.int8)
    same([run(model, {"x0": X})["y0"]], [wanted])


@pytest.mark.parametrize("x", [np.array([[0, 7, 255]], np.uint8), np.array([[-9, 7, 100]], np.int8)])
def test_dequantize(x: Array) -> None:
    scale, zero = np.array(0.5, np.float32), np.array(5, x.dtype)

    matches_reference("DequantizeLinear", [x, scale, zero], constants=[1, 2])
    matches_reference("DequantizeLinear", [x, scale])


def test_dequantize_along_an_axis() -> None:
    x = np.arange(6, dtype=np.int32).reshape(2, 3)

    matches_reference("DequantizeLinear", [x, np.array([2.0, 0.5], np.float32)], {"axis": 0})


@pytest.mark.parametrize("x", [X, np.abs(X), -np.abs(X), np.zeros((2, 2), np.float32)])
def test_dynamic_quantize(x: Array) -> None:
    high, low = max(float(x.max()), 0.0), min(float(x.min()), 0.0)
    scale = np.float32((np.float32(high) - np.float32(low)) / np.float32(255))
    divisor = scale if scale else np.float32(1)
    zero = np.uint8(np.clip(np.rint(-np.float32(low) / divisor), 0, 255))
    wanted = np.clip(np.rint(x / divisor) + zero, 0, 255).astype(np.uint8)

    found = run(model_of("DynamicQuantizeLinear", [x], outputs=3), {"x0": x})

    same(list(found.values()), [wanted, np.array(scale), np.array(zero)], 1e-7)
