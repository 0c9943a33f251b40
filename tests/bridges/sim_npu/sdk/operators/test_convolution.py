"""Convolutions of the SDK against their definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.bridges.arrays import assert_close, floats, integers
from tests.bridges.sim_npu.sdk.program_run import refusal, run


def conv_by_loops(
    x: Array, w: Array, stride: int, dilation: int, pads: tuple[int, int, int, int], groups: int
) -> Array:
    """Each pixel as the sum over a window, from the definition."""
    top, bottom, left, right = pads
    batch, _channels, height, width = x.shape
    outputs, per_group, kh, kw = w.shape
    rows = (height + top + bottom - dilation * (kh - 1) - 1) // stride + 1
    columns = (width + left + right - dilation * (kw - 1) - 1) // stride + 1
    y = np.zeros((batch, outputs, rows, columns))
    for n, o, i, j in np.ndindex(y.shape):
        group = o // (outputs // groups)
        for c, p, q in np.ndindex(per_group, kh, kw):
            row, column = i * stride + p * dilation - top, j * stride + q * dilation - left
            if 0 <= row < height and 0 <= column < width:
                y[n, o, i, j] += float(x[n, group * per_group + c, row, column]) * float(w[o, c, p, q])
    return y


def transpose_by_loops(
    x: Array,
    w: Array,
    stride: int,
    dilation: int,
    pads: tuple[int, int, int, int],
    groups: int,
    extra: tuple[int, int],
) -> Array:
    """Each pixel of the image adds the filter to the result, from the definition."""
    top, bottom, left, right = pads
    batch, channels, height, width = x.shape
    _, per_group, kh, kw = w.shape
    rows = (height - 1) * stride + dilation * (kh - 1) + 1 - top - bottom + extra[0]
    columns = (width - 1) * stride + dilation * (kw - 1) + 1 - left - right + extra[1]
    y = np.zeros((batch, per_group * groups, rows, columns))
    for n, c, i, j in np.ndindex(x.shape):
        group = c // (channels // groups)
        for o, p, q in np.ndindex(per_group, kh, kw):
            row, column = i * stride + p * dilation - top, j * stride + q * dilation - left
            if 0 <= row < rows and 0 <= column < columns:
                y[n, group * per_group + o, row, column] += float(x[n, c, i, j]) * float(w[c, o, p, q])
    return y


@pytest.mark.parametrize(
    ("image", "weights", "stride", "dilation", "pads", "groups"),
    [
        ((2, 3, 5, 6), (4, 3, 3, 3), 1, 1, (1, 1, 1, 1), 1),
        ((1, 2, 7, 6), (3, 2, 3, 2), 2, 1, (0, 1, 2, 0), 1),
        ((1, 4, 6, 6), (6, 2, 3, 3), 1, 2, (2, 2, 2, 2), 2),
        ((2, 3, 5, 5), (3, 1, 3, 3), 2, 1, (1, 1, 1, 1), 3),
        ((1, 2, 4, 4), (6, 1, 2, 2), 1, 1, (0, 0, 0, 0), 2),
        ((1, 2, 8, 8), (1, 2, 8, 8), 8, 1, (0, 0, 0, 0), 1),
        ((1, 3, 3, 3), (2, 3, 1, 1), 1, 1, (0, 0, 0, 0), 1),
    ],
)
def test_a_convolution_follows_the_definition(
    image: tuple[int, ...],
    weights: tuple[int, ...],
    stride: int,
    dilation: int,
    pads: tuple[int, int, int, int],
    groups: int,
) -> None:
    x, w = floats(*image), floats(*weights, seed=1)
    expected = conv_by_loops(x, w, stride, dilation, pads, groups)

    (result,) = run(
        "CONV_2D", x, w, constants=[1], stride=stride, dilation=dilation, pads=pads, groups=groups
    )

    assert_close(result, expected.astype(np.float32), 1e-5)


@pytest.mark.parametrize(
    ("image", "weights", "stride", "dilation", "pads", "groups", "extra"),
    [
        ((2, 3, 3, 4), (3, 2, 3, 3), 1, 1, (0, 0, 0, 0), 1, (0, 0)),
        ((1, 2, 3, 4), (2, 3, 4, 3), 2, 1, (1, 2, 0, 1), 1, (1, 0)),
        ((1, 4, 3, 3), (4, 2, 2, 2), 2, 2, (1, 1, 1, 1), 2, (0, 1)),
        ((1, 3, 4, 4), (3, 1, 2, 2), 2, 1, (0, 0, 0, 0), 3, (0, 0)),
    ],
)
def test_a_transposed_convolution_follows_the_definition(
    image: tuple[int, ...],
    weights: tuple[int, ...],
    stride: int,
    dilation: int,
    pads: tuple[int, int, int, int],
    groups: int,
    extra: tuple[int, int],
) -> None:
    x, w = floats(*image), floats(*weights, seed=1)
    expected = transpose_by_loops(x, w, stride, dilation, pads, groups, extra)
    attributes = {"stride": stride, "dilation": dilation, "pads": pads, "groups": groups, "extra": extra}

    (result,) = run("CONV_TRANSPOSE_2D", x, w, constants=[1], **attributes)

    assert_close(result, expected.astype(np.float32), 1e-5)


@pytest.mark.parametrize("kind", ["CONV_2D", "CONV_TRANSPOSE_2D"])
@pytest.mark.parametrize("activation", ["NONE", "RELU", "RELU6"])
def test_bias_comes_before_the_activation(kind: str, activation: str) -> None:
    x, w, b = floats(1, 3, 4, 4), 4 * floats(3, 3, 2, 2, seed=1), floats(3, seed=2)
    (without,) = run(kind, x, w, constants=[1])
    expected = without + b.reshape(3, 1, 1)
    if activation != "NONE":
        expected = expected.clip(0, 6 if activation == "RELU6" else np.inf)
    assert expected.max() >= 6

    (result,) = run(kind, x, w, b, constants=[1, 2], activation=activation)

    np.testing.assert_allclose(result, expected, rtol=1e-6)


X, W, B = floats(1, 2, 9, 9), floats(4, 2, 3, 3), floats(4)


@pytest.mark.parametrize(
    ("attributes", "sentence"),
    [
        ({"stride": 9}, "107 LIMIT_EXCEEDED: CONV_2D: stride 9 (supported: 1 to 8)"),
        ({"stride": 0}, "107 LIMIT_EXCEEDED: CONV_2D: stride 0 (supported: 1 to 8)"),
        ({"stride": [2, 1]}, "103 INVALID_ATTRIBUTE: CONV_2D: stride must be an integer, got [2, 1]"),
        ({"dilation": 9}, "107 LIMIT_EXCEEDED: CONV_2D: dilation 9 (supported: 1 to 8)"),
        ({"pads": [0, 0, 16, 0]}, "107 LIMIT_EXCEEDED: CONV_2D: pads [0, 0, 16, 0] (supported: 0 to 15)"),
        (
            {"pads": [1, 1]},
            "103 INVALID_ATTRIBUTE: CONV_2D: pads must be a list of 4 integers, got [1, 1]",
        ),
        ({"dilation": 5}, "104 INVALID_SHAPE: CONV_2D: image [9, 9] is smaller than the window"),
        (
            {"groups": 2},
            (
                "104 INVALID_SHAPE: CONV_2D: filter float32[4, 2, 3, 3] in 2 groups does not fit image "
                "float32[1, 2, 9, 9]"
            ),
        ),
        (
            {"activation": "TANH"},
            "103 INVALID_ATTRIBUTE: CONV_2D: activation must be NONE or RELU or RELU6, got 'TANH'",
        ),
    ],
)
def test_attributes_beyond_the_limits_are_errors(attributes: dict[str, Any], sentence: str) -> None:
    assert refusal("CONV_2D", X, W, constants=[1], **attributes) == f"NPU-{sentence}"


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ((X, floats(4, 2, 9, 3)), "107 LIMIT_EXCEEDED: CONV_2D: kernel 9x3 (supported: up to 8x8)"),
        ((X, floats(4, 2, 3)), "104 INVALID_SHAPE: CONV_2D: a filter has 4 axes, got float32[4, 2, 3]"),
        ((X, W, floats(3)), "104 INVALID_SHAPE: CONV_2D: the bias must be float32[4], got float32[3]"),
        (
            (integers(1, 2, 9, 9), W),
            ("104 INVALID_SHAPE: CONV_2D: an image is float32[N, C, H, W], got int32[1, 2, 9, 9]"),
        ),
        ((X, W, B, B), "102 INVALID_ARITY: CONV_2D takes 2 to 3 tensors, got 4"),
    ],
)
def test_tensors_beyond_the_limits_are_errors(arrays: tuple[Array, ...], sentence: str) -> None:
    assert refusal("CONV_2D", *arrays, constants=[1, 2, 3]) == f"NPU-{sentence}"


def test_a_computed_filter_or_bias_is_an_error() -> None:
    assert refusal("CONV_2D", X, W) == "NPU-106 NOT_CONSTANT: CONV_2D: input 1 must be a constant"
    assert refusal("CONV_2D", X, W, B, constants=[1]) == (
        "NPU-106 NOT_CONSTANT: CONV_2D: input 2 must be a constant"
    )


def test_wrong_arguments_of_a_transpose_are_errors() -> None:
    image, weights = floats(1, 4, 3, 3), floats(4, 2, 2, 2)

    assert refusal("CONV_TRANSPOSE_2D", image, weights, constants=[1], stride=2, extra=[2, 0]) == (
        "NPU-103 INVALID_ATTRIBUTE: CONV_TRANSPOSE_2D: extra [2, 0] must be below the stride 2"
    )
    assert refusal("CONV_TRANSPOSE_2D", image, floats(3, 2, 2, 2), constants=[1]) == (
        "NPU-104 INVALID_SHAPE: CONV_TRANSPOSE_2D: filter float32[3, 2, 2, 2] in 1 groups does not fit image "
        "float32[1, 4, 3, 3]"
    )
