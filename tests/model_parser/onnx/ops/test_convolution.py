"""Convolutions of lines, images and volumes against the reference implementation of ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.onnx.node_models import (
    check_against_onnxruntime,
    check_against_reference,
    model_of,
    run,
)


def array(*shape: int, seed: int = 0) -> Array:
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
def test_conv_equals_the_reference(rank: int, attrs: dict[str, Any]) -> None:
    sizes = (7, 6, 5)[:rank]
    lists = {
        "pads": [1, 0, 2][:rank] + [1, 2, 0][:rank],
        "strides": [2, 1, 2][:rank],
        "dilations": [2, 1, 1][:rank],
    }
    attrs = {key: lists.get(key, value) for key, value in attrs.items()}

    check_against_reference(
        "Conv",
        [array(2, 4, *sizes), array(6, 2, *[3] * rank, seed=1), array(6)],
        {"group": 2, "kernel_shape": [3] * rank, **attrs},
        constants=[1, 2],
        tolerance=1e-4,
    )


def test_same_lower_pads_more_before() -> None:
    x, weight = array(1, 2, 6, 7), array(3, 2, 3, 2, seed=1)
    attrs = {"auto_pad": "SAME_LOWER", "strides": [2, 2]}

    output = run(model_of("Conv", [x, weight], attrs), {"x0": x, "x1": weight})["y0"]

    padded = np.pad(x, ((0, 0), (0, 0), (1, 0), (1, 0)))
    expected = run(model_of("Conv", [padded, weight], {"strides": [2, 2]}), {"x0": padded, "x1": weight})[
        "y0"
    ]
    # The algorithms of the two may differ.
    np.testing.assert_allclose(output, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER"])
@pytest.mark.parametrize(("kernel", "stride"), [(1, 3), (1, 4), (2, 3), (2, 4)])
@pytest.mark.parametrize("size", [5, 7, 8])
def test_same_padding_of_strides_beyond_the_kernel_equals_the_reference(
    auto_pad: str, kernel: int, stride: int, size: int
) -> None:
    """The windows leave out a part of the image, so that the padding in total is negative."""
    check_against_reference(
        "Conv",
        [array(1, 2, size, size), array(2, 2, kernel, kernel, seed=1)],
        {"auto_pad": auto_pad, "strides": [stride, stride]},
        constants=[1],
        tolerance=1e-5,
    )


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER", "NOTSET"])
@pytest.mark.parametrize("constants", [(), (1,)])
def test_conv_without_sizes_in_the_model(rank: int, auto_pad: str, constants: tuple[int, ...]) -> None:
    x, weight = array(1, 2, *(6, 7, 5)[:rank]), array(3, 2, *(3, 2, 4)[:rank], seed=1)
    attrs = {"auto_pad": auto_pad, "strides": [2, 1, 3][:rank]}
    model = model_of("Conv", [x, weight], attrs, constants=constants, symbolic=True)
    weights = {} if constants else {"x1": weight}

    check_against_onnxruntime(model, {"x0": x, **weights}, {"x0": array(2, 2, *(9, 8, 6)[:rank]), **weights})


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("constants", [(), (1, 2)])
@pytest.mark.parametrize(
    "attrs",
    [
        {"auto_pad": "SAME_UPPER"},
        {"auto_pad": "SAME_LOWER"},
        {"output_shape": [9, 9, 9]},
        {"output_shape": [8, 8, 8], "auto_pad": "SAME_UPPER"},
    ],
    ids=str,
)
def test_conv_transpose_without_sizes_in_the_model(
    rank: int, constants: tuple[int, ...], attrs: dict[str, Any]
) -> None:
    x, weight, bias = array(1, 2, *(5, 4, 4)[:rank]), array(2, 3, *(3, 4, 2)[:rank], seed=1), array(3)
    attrs = {key: value[:rank] if key == "output_shape" else value for key, value in attrs.items()}
    attrs["strides"] = [2] * rank
    model = model_of("ConvTranspose", [x, weight, bias], attrs, constants=constants, symbolic=True)
    weights = {} if constants else {"x1": weight, "x2": bias}

    check_against_onnxruntime(model, {"x0": x, **weights}, {"x0": array(2, 2, *(6, 5, 5)[:rank]), **weights})


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize(
    "attrs", [{}, {"strides": 2}, {"strides": 2, "output_padding": 1, "pads": 1}], ids=str
)
def test_conv_transpose_equals_the_reference(rank: int, attrs: dict[str, int]) -> None:
    lists = {"kernel_shape": [3] * rank} | {
        name: [value] * (2 * rank if name == "pads" else rank) for name, value in attrs.items()
    }

    check_against_reference(
        "ConvTranspose",
        [array(1, 4, *(3, 4, 2)[:rank]), array(4, 3, *[3] * rank, seed=1)],
        lists,
        constants=[1],
        tolerance=1e-4,
    )


def test_deform_conv_equals_the_reference() -> None:
    x, weight = array(1, 2, 4, 4), array(3, 2, 2, 2, seed=1)
    offset, mask = array(1, 8, 3, 3, seed=2), array(1, 4, 3, 3, seed=3)

    check_against_reference(
        "DeformConv", [x, weight, offset, array(3), mask], {"kernel_shape": [2, 2]}, tolerance=1e-4
    )


def test_col2im_equals_the_reference() -> None:
    check_against_reference("Col2Im", [array(1, 8, 6), np.array([3, 4]), np.array([2, 2])])
