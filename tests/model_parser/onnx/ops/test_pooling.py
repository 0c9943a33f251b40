"""Poolings over one, two and three axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import (
    check_against_onnxruntime,
    check_against_reference,
    model_of,
    run,
)

X = np.random.default_rng(0).standard_normal((2, 3, 7, 6, 5)).astype(np.float32)


def image(rank: int) -> Array:
    """A line, an image or a volume."""
    return {1: X[..., 0, 0], 2: X[..., 0], 3: X}[rank]


@pytest.mark.parametrize("op", ["MaxPool", "AveragePool", "LpPool"])
@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize(
    "attrs",
    [{}, {"strides": 2}, {"pads": 1, "strides": 2}, {"dilations": 2}, {"ceil_mode": 1, "strides": 2}],
    ids=str,
)
def test_pooling_equals_the_reference(op: str, rank: int, attrs: dict[str, Any]) -> None:
    lists = {
        name: value if name == "ceil_mode" else [value] * (2 * rank if name == "pads" else rank)
        for name, value in attrs.items()
    }

    if op == "LpPool" and "ceil_mode" in attrs:
        # The reference scales windows that end outside the input.
        lists["strides"] = [1] * rank

    check_against_reference(op, [image(rank)], {"kernel_shape": [3] * rank, **lists}, opset=22)


def test_average_with_padding() -> None:
    attrs = {"kernel_shape": [3, 3], "pads": [1, 0, 2, 1], "count_include_pad": 1}

    check_against_reference("AveragePool", [X[..., 0]], attrs)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_max_pool_of_integers(dtype: type) -> None:
    x: Array = (X[..., 0] * 20).astype(np.int8).view(dtype)

    output = run(model_of("MaxPool", [x], {"kernel_shape": [2, 2], "pads": [1, 1, 0, 0]}), {"x0": x})["y0"]

    rows = np.maximum(x, np.concatenate([x[:, :, :1], x[:, :, :-1]], axis=2))
    np.testing.assert_array_equal(
        output, np.maximum(rows, np.concatenate([rows[..., :1], rows[..., :-1]], axis=3))
    )


@pytest.mark.parametrize("order", [0, 1])
def test_max_pool_gives_the_indices_of_the_maxima(order: int) -> None:
    x = np.random.default_rng(1).permutation(2 * 2 * 4 * 5).astype(np.float32).reshape(2, 2, 4, 5)
    attrs = {"kernel_shape": [2, 2], "strides": [2, 2], "storage_order": order}

    results = run(model_of("MaxPool", [x], attrs, outputs=2), {"x0": x})

    flat = x.reshape(-1) if order == 0 else x.swapaxes(2, 3).reshape(-1)
    np.testing.assert_array_equal(flat[results["y1"]], results["y0"])


@pytest.mark.parametrize("op", ["GlobalAveragePool", "GlobalMaxPool"])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_global_pooling_of_unknown_sizes(op: str, rank: int) -> None:
    x = image(rank)

    output = run(model_of(op, [x], symbolic=True), {"x0": x})["y0"]

    reduce = np.max if op == "GlobalMaxPool" else np.mean
    np.testing.assert_allclose(output, reduce(x, axis=tuple(range(2, x.ndim)), keepdims=True), rtol=1e-5)


def test_global_lp_pooling_by_its_formula() -> None:
    output = run(model_of("GlobalLpPool", [X], {"p": 3}), {"x0": X})["y0"]

    np.testing.assert_allclose(output, (np.abs(X) ** 3).sum((2, 3, 4), keepdims=True) ** (1 / 3), rtol=1e-5)


def test_max_unpool_equals_the_reference() -> None:
    x = np.array([[[[5, 6], [7, 8]]]], np.float32)
    indices = np.array([[[[5, 7], [13, 15]]]])

    check_against_reference("MaxUnpool", [x, indices], {"kernel_shape": [2, 2], "strides": [2, 2]})


def test_max_pool_without_kernel_shape_is_refused() -> None:
    with pytest.raises(ModelParseError, match=r"node \(MaxPool\): attribute kernel_shape is missing"):
        run(model_of("MaxPool", [X]), {"x0": X})


@pytest.mark.parametrize("op", ["MaxPool", "AveragePool", "LpPool"])
@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER"])
@pytest.mark.parametrize(
    ("strides", "symbolic"),
    [([1, 2], False), ([1, 2], True), ([2, 2], False), ([2, 2], True), ([4, 5], False)],
)
def test_same_padding_of_pools_without_sizes(
    op: str, auto_pad: str, strides: list[int], symbolic: bool
) -> None:
    x = image(2)
    attrs = {"kernel_shape": [3, 2], "strides": strides, "auto_pad": auto_pad}
    model = model_of(op, [x], attrs, symbolic=symbolic)

    check_against_onnxruntime(model, {"x0": x}, *[{"x0": x[:, :, :5, :4]}] * symbolic)


def test_indices_of_maxima_with_same_padding_without_sizes() -> None:
    attrs = {"kernel_shape": [3, 2], "strides": [2, 2], "auto_pad": "SAME_LOWER"}
    model = model_of("MaxPool", [image(2)], attrs, outputs=2, symbolic=True)

    check_against_onnxruntime(model, {"x0": image(2)}, {"x0": image(2)[:, :, :4, :3]})


@pytest.mark.parametrize("op", ["MaxPool", "AveragePool", "LpPool"])
@pytest.mark.parametrize(("size", "stride"), [(2, 1), (2, 2), (1, 2), (1, 3)])
def test_a_window_larger_than_the_image_has_one_position_or_none(op: str, size: int, stride: int) -> None:
    x = np.ascontiguousarray(image(2)[:, :, :size])
    model = model_of(op, [x], {"kernel_shape": [3, 2], "strides": [stride, 1]}, opset=18)

    check_against_onnxruntime(model, {"x0": x})


@pytest.mark.parametrize("op", ["GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_global_pools_of_an_unknown_rank(op: str, rank: int) -> None:
    text = f"""<ir_version: 9, opset_import: ["" : 17]>
    agraph (float{list(image(rank).shape)} x, int64[n] shape) => (float[] y) {{
      z = Reshape (x, shape)
      y = {op} (z)
    }}"""
    shapes = {"shape": np.array(image(rank).shape)}

    check_against_onnxruntime(text, {"x": image(rank), **shapes})


@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER"])
def test_averages_that_count_the_padding_of_an_image_of_unknown_size(auto_pad: str) -> None:
    attrs = f'auto_pad: string = "{auto_pad}", count_include_pad: int = 1, kernel_shape: ints = [2, 3]'
    text = f"""<ir_version: 9, opset_import: ["" : 18]>
    agraph (float[n,1,h,w] x) => (float[] y) {{
      y = AveragePool <{attrs}> (x)
    }}"""
    images = [
        np.random.default_rng(1).uniform(-1, 1, shape).astype(np.float32)
        for shape in ((2, 1, 8, 4), (1, 1, 3, 5))
    ]

    check_against_onnxruntime(text, *({"x": image} for image in images))
