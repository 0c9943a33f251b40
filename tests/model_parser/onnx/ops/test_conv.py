"""Convolutions of lines, images and volumes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import matches_reference, model_of, run


def _array(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize(
    "attrs",
    [
        {},
        {"pads": True},
        {"strides": True, "auto_pad": "VALID"},
        {"dilations": True},
        {"auto_pad": "SAME_UPPER"},
    ],
    ids=str,
)
def test_conv(rank: int, attrs: dict[str, Any]) -> None:
    sizes = (7, 6, 5)[:rank]
    made = {
        "pads": [1, 0, 2][:rank] + [1, 2, 0][:rank],
        "strides": [2, 1, 2][:rank],
        "dilations": [2, 1, 1][:rank],
    }
    attrs = {key: made.get(key, value) for key, value in attrs.items()}

    matches_reference(
        "Conv",
        [_array(2, 4, *sizes), _array(6, 2, *[3] * rank, seed=1), _array(6)],
        {"group": 2, "kernel_shape": [3] * rank, **attrs},
        constants=[1, 2],
        tolerance=1e-4,
    )


def test_lower_padding_is_before() -> None:
    x, weight = _array(1, 2, 6, 7), _array(3, 2, 3, 2, seed=1)
    attrs = {"auto_pad": "SAME_LOWER", "strides": [2, 2]}

    found = run(model_of("Conv", [x, weight], attrs), {"x0": x, "x1": weight})["y0"]

    padded = np.pad(x, ((0, 0), (0, 0), (1, 0), (1, 0)))
    wanted = run(model_of("Conv", [padded, weight], {"strides": [2, 2]}), {"x0": padded, "x1": weight})["y0"]
    np.testing.assert_array_equal(found, wanted)


def test_same_padding_of_unknown_sizes_is_refused() -> None:
    x, weight = _array(1, 2, 6, 7), _array(3, 2, 3, 2, seed=1)
    model = model_of(
        "Conv", [x, weight], {"auto_pad": "SAME_LOWER", "strides": [2, 2]}, constants=[1], symbolic=True
    )

    with pytest.raises(ModelParseError, match=r"node \(Conv\): auto_pad SAME_LOWER needs the sizes of 'x0'"):
        run(model, {"x0": x})


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize(
    "attrs", [{}, {"strides": 2}, {"strides": 2, "output_padding": 1, "pads": 1}], ids=str
)
def test_conv_transpose(rank: int, attrs: dict[str, int]) -> None:
    listed = {"kernel_shape": [3] * rank} | {
        name: [value] * (2 * rank if name == "pads" else rank) for name, value in attrs.items()
    }

    matches_reference(
        "ConvTranspose",
        [_array(1, 4, *(3, 4, 2)[:rank]), _array(4, 3, *[3] * rank, seed=1)],
        listed,
        constants=[1],
        tolerance=1e-4,
    )


def test_deform_conv() -> None:
    x, weight = _array(1, 2, 4, 4), _array(3, 2, 2, 2, seed=1)
    offset, mask = _array(1, 8, 3, 3, seed=2), _array(1, 4, 3, 3, seed=3)

    matches_reference(
        "DeformConv", [x, weight, offset, _array(3), mask], {"kernel_shape": [2, 2]}, tolerance=1e-4
    )
