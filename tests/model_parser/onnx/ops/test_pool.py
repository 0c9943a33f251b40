"""Poolings over one, two and three axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import matches_reference, model_of, run

X = np.random.default_rng(0).standard_normal((2, 3, 7, 6, 5)).astype(np.float32)


def _image(rank: int) -> Array:
    """A line, an image or a volume."""
    return {1: X[..., 0, 0], 2: X[..., 0], 3: X}[rank]


@pytest.mark.parametrize("op", ["MaxPool", "AveragePool", "LpPool"])
@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize(
    "attrs",
    [{}, {"strides": 2}, {"pads": 1, "strides": 2}, {"dilations": 2}, {"ceil_mode": 1, "strides": 2}],
    ids=str,
)
def test_pool(op: str, rank: int, attrs: dict[str, Any]) -> None:
    listed = {
        name: value if name == "ceil_mode" else [value] * (2 * rank if name == "pads" else rank)
        for name, value in attrs.items()
    }

    if op == "LpPool" and "ceil_mode" in attrs:
        # ONNX's reference scales the sums of windows that end outside.
        listed["strides"] = [1] * rank

    matches_reference(op, [_image(rank)], {"kernel_shape": [3] * rank, **listed}, opset=22)


def test_padding_counts() -> None:
    attrs = {"kernel_shape": [3, 3], "pads": [1, 0, 2, 1], "count_include_pad": 1}

    matches_reference("AveragePool", [X[..., 0]], attrs)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_maxima_of_integers(dtype: type) -> None:
    x: Array = (X[..., 0] * 20).astype(np.int8).view(dtype)

    found = run(model_of("MaxPool", [x], {"kernel_shape": [2, 2], "pads": [1, 1, 0, 0]}), {"x0": x})["y0"]

    rows = np.maximum(x, np.concatenate([x[:, :, :1], x[:, :, :-1]], axis=2))
    np.testing.assert_array_equal(
        found, np.maximum(rows, np.concatenate([rows[..., :1], rows[..., :-1]], axis=3))
    )


@pytest.mark.parametrize("order", [0, 1])
def test_where_the_maxima_are(order: int) -> None:
    x = np.random.default_rng(1).permutation(2 * 2 * 4 * 5).astype(np.float32).reshape(2, 2, 4, 5)
    attrs = {"kernel_shape": [2, 2], "strides": [2, 2], "storage_order": order}

    found = run(model_of("MaxPool", [x], attrs, outputs=2), {"x0": x})

    flat = x.reshape(-1) if order == 0 else x.swapaxes(2, 3).reshape(-1)
    np.testing.assert_array_equal(flat[found["y1"]], found["y0"])


@pytest.mark.parametrize("op", ["GlobalAveragePool", "GlobalMaxPool"])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_global(op: str, rank: int) -> None:
    x = _image(rank)

    found = run(model_of(op, [x], symbolic=True), {"x0": x})["y0"]

    reduce = np.max if op == "GlobalMaxPool" else np.mean
    np.testing.assert_allclose(found, reduce(x, axis=tuple(range(2, x.ndim)), keepdims=True), rtol=1e-5)


def test_global_lp() -> None:
    found = run(model_of("GlobalLpPool", [X], {"p": 3}), {"x0": X})["y0"]

    np.testing.assert_allclose(found, (np.abs(X) ** 3).sum((2, 3, 4), keepdims=True) ** (1 / 3), rtol=1e-5)


def test_max_unpool() -> None:
    x = np.array([[[[5, 6], [7, 8]]]], np.float32)
    places = np.array([[[[5, 7], [13, 15]]]])

    matches_reference("MaxUnpool", [x, places], {"kernel_shape": [2, 2], "strides": [2, 2]})


def test_without_kernel_shape() -> None:
    with pytest.raises(ModelParseError, match=r"node \(MaxPool\): attribute kernel_shape is missing"):
        run(model_of("MaxPool", [X]), {"x0": X})
