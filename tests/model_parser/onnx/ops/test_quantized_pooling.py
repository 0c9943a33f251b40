"""ONNX Runtime's QLinear poolings, against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.model_parser.onnx import node_models
from tests.model_parser.onnx.onnxruntime_models import (
    QUANTISED,
    check_against_onnxruntime,
    codes,
    scale_and_zero,
)

NUMBERS = [((0.0317, 9), (0.0291, 5)), ((0.25, 4), (0.5, 7)), ((0.5, 1), (0.125, 3))]
"""Scales and zero points of the input and the result: without halves, with many, saturating."""


@pytest.mark.parametrize("dtype", QUANTISED)
@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("shape", [(2, 3, 6, 7), (1, 5, 4), (1, 2, 3, 4, 5)])
def test_global_average_pool(
    dtype: type[np.generic], numbers: list[tuple[float, int]], shape: tuple[int, ...]
) -> None:
    source, target = (scale_and_zero(*pair, dtype) for pair in numbers)
    inputs = [codes(shape, dtype), *source, *target]

    check_against_onnxruntime("QLinearGlobalAveragePool", inputs, constants=[1, 2, 3, 4])


@pytest.mark.parametrize("dtype", QUANTISED)
@pytest.mark.parametrize("op", ["QLinearGlobalAveragePool", "QLinearAveragePool"])
def test_pools_with_channels_last(dtype: type[np.generic], op: str) -> None:
    source, target = scale_and_zero(0.0317, 9, dtype), scale_and_zero(0.0291, 5, dtype)
    inputs = [codes((2, 6, 7, 3), dtype), *source, *target]
    attrs: dict[str, Any] = {} if "Global" in op else {"kernel_shape": [3, 2], "pads": [1, 0, 0, 1]}

    check_against_onnxruntime(op, inputs, {"channels_last": 1, **attrs})
    check_against_onnxruntime(op, inputs, {"channels_last": 1, **attrs}, symbolic=True)


@pytest.mark.parametrize("dtype", QUANTISED)
@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize(
    "attrs",
    [
        {"kernel_shape": [2, 2]},
        {"kernel_shape": [3, 3], "strides": [2, 1], "pads": [1, 1, 1, 1], "count_include_pad": 1},
        {"kernel_shape": [3, 2], "pads": [0, 0, 1, 1]},
        {"kernel_shape": [6, 7]},
        {"kernel_shape": [6, 7], "pads": [1, 0, 1, 0]},
        {"kernel_shape": [3, 2], "strides": [2, 2], "auto_pad": "SAME_UPPER"},
    ],
)
def test_average_pool(
    dtype: type[np.generic], numbers: list[tuple[float, int]], attrs: dict[str, Any]
) -> None:
    source, target = (scale_and_zero(*pair, dtype) for pair in numbers)
    inputs = [codes((2, 3, 6, 7), dtype), *source, *target]

    check_against_onnxruntime("QLinearAveragePool", inputs, attrs, constants=[1, 2, 3, 4])


@pytest.mark.parametrize("dtype", QUANTISED)
def test_max_pool_with_channels_last(dtype: type[np.generic]) -> None:
    attrs = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 0, 1]}

    check_against_onnxruntime("NhwcMaxPool", [codes((2, 6, 7, 3), dtype)], attrs)


def test_average_pool_over_a_line() -> None:
    numbers = [*scale_and_zero(0.0317, 9, np.uint8), *scale_and_zero(0.0291, 5, np.uint8)]

    check_against_onnxruntime(
        "QLinearAveragePool", [codes((2, 3, 9), np.uint8), *numbers], {"kernel_shape": [3], "strides": [2]}
    )


def test_global_average_pool_of_an_unknown_rank() -> None:
    text = """<ir_version: 10, opset_import: ["" : 20, "com.microsoft" : 1]>
    agraph (uint8[2, 3, 20] x, int64[n] shape) => (uint8[] y)
    <float s = {0.03}, uint8 z = {9}, float t = {0.029}, uint8 u = {5}> {
      image = Reshape (x, shape)
      y = com.microsoft.QLinearGlobalAveragePool (image, s, z, t, u)
    }"""
    feeds = [
        {"x": codes((2, 3, 20), np.uint8), "shape": np.array(shape)} for shape in ([2, 3, 4, 5], [2, 3, 20])
    ]

    node_models.check_against_onnxruntime(text, *feeds)
