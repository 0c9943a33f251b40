"""conv2d against loops over the definition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lite.errors import GraphError
from lite.plugin.kernel import Array, evaluate
from tests.kernels.host.checked import checked
from tests.kernels.host.prepared import prepared

Pair = tuple[int, int]
Sides = tuple[int, int, int, int]


def random(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def convolved(x: Array, w: Array, strides: Pair, sides: Sides, dilations: Pair, groups: int) -> Array:
    """Paddings are top, bottom, left, right."""
    x, w = x.astype(np.float64), w.astype(np.float64)
    image = np.pad(x, [(0, 0), (0, 0), sides[:2], sides[2:]])
    outputs, per_group, kh, kw = w.shape
    height = (image.shape[2] - dilations[0] * (kh - 1) - 1) // strides[0] + 1
    width = (image.shape[3] - dilations[1] * (kw - 1) - 1) // strides[1] + 1
    result = np.zeros((x.shape[0], outputs, height, width))
    for n, o, h, v in np.ndindex(*result.shape):
        first = o // (outputs // groups) * per_group
        for c, i, j in np.ndindex(per_group, kh, kw):
            row, column = h * strides[0] + i * dilations[0], v * strides[1] + j * dilations[1]
            result[n, o, h, v] += image[n, first + c, row, column] * w[o, c, i, j]
    return result


CASES: dict[str, tuple[Sequence[int], Sequence[int], Pair, Sides, Pair, int]] = {
    "1x1": ((2, 3, 4, 5), (6, 3, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    "1x1 in groups": ((2, 4, 3, 2), (6, 2, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 2),
    "1x1 with strides": ((1, 3, 5, 6), (2, 3, 1, 1), (2, 3), (0, 0, 0, 0), (1, 1), 1),
    "1x1 with padding": ((1, 3, 2, 2), (2, 3, 1, 1), (1, 1), (1, 0, 0, 2), (1, 1), 1),
    "3x3": ((2, 3, 6, 5), (4, 3, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),
    "3x3 on one pixel": ((1, 2, 1, 1), (3, 2, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),
    "strides and uneven padding": ((1, 3, 7, 9), (2, 3, 3, 2), (2, 3), (0, 2, 1, 0), (1, 1), 1),
    "dilations": ((1, 2, 9, 8), (3, 2, 3, 2), (1, 2), (1, 1, 2, 2), (2, 3), 1),
    "groups": ((2, 6, 5, 4), (9, 2, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 3),
    "few outputs": ((2, 16, 7, 8), (5, 16, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),
    "few outputs, dilated": ((1, 16, 9, 14), (5, 16, 3, 2), (1, 1), (2, 1, 0, 3), (2, 3), 1),
    "few outputs, not padded": ((1, 16, 5, 6), (1, 16, 2, 3), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    "empty batch": ((0, 3, 4, 4), (2, 3, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),
    "depthwise": ((2, 5, 6, 7), (5, 1, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 5),
    "depthwise with strides": ((1, 4, 7, 8), (4, 1, 5, 3), (2, 3), (2, 1, 0, 1), (1, 1), 4),
    "depthwise, strides beyond the kernel": ((1, 2, 9, 9), (2, 1, 2, 2), (4, 3), (1, 0, 2, 0), (1, 1), 2),
    "depthwise, dilated": ((1, 3, 9, 8), (3, 1, 3, 3), (2, 1), (2, 2, 3, 3), (2, 3), 3),
    "depthwise multiplied": ((1, 3, 4, 5), (6, 1, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 3),
    "depthwise, wide border": ((1, 2, 2, 2), (2, 1, 3, 3), (2, 2), (4, 4, 3, 5), (1, 1), 2),
    "depthwise, not padded": ((1, 2, 5, 5), (2, 1, 2, 2), (1, 1), (0, 0, 0, 0), (1, 1), 2),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_conv2d_is_a_sum_of_products(case: tuple[Any, ...]) -> None:
    x_shape, w_shape, strides, sides, dilations, groups = case
    x, w, bias = random(*x_shape), random(*w_shape), random(w_shape[0])
    attrs: dict[str, Any] = {
        "strides": [*strides],
        "paddings": [*sides],
        "dilations": [*dilations],
        "groups": groups,
    }

    (plain,) = checked("conv2d", {"Input": x, "Filter": w}, attrs)
    biased = prepared("conv2d", {"Input": x, "Filter": w, "Bias": bias}, attrs, "Filter")

    wanted = convolved(x, w, strides, sides, dilations, groups)
    np.testing.assert_allclose(plain, wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(biased, wanted + bias[:, None, None], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "w_shape", [(4, 6, 1, 1), (4, 6, 3, 3), (6, 1, 3, 3)], ids=["1x1", "3x3", "depthwise"]
)
def test_several_tiles_give_the_same_result(
    w_shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    x, w = random(2, 6, 9, 7), random(*w_shape)
    groups = 6 // w_shape[1]
    attrs: dict[str, Any] = {"groups": groups, "paddings": [1, 2], "activation": "relu"}
    monkeypatch.setattr("lite.kernels.host.convolution.epilogue.TILE_BYTES", 300)
    monkeypatch.setattr("lite.kernels.host.convolution.conv2d_depthwise.TILE_BYTES", 300)

    (found,) = checked("conv2d", {"Input": x, "Filter": w}, attrs)

    wanted = np.maximum(convolved(x, w, (1, 1), (1, 1, 2, 2), (1, 1), groups), 0)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("images", [1, 2, 5, 9])
def test_images_that_are_convolved_together_give_the_same_result(
    images: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, w, bias = random(5, 3, 4, 6), random(6, 1, 3, 3), random(6)
    residual = random(5, 6, 4, 6)
    attrs: dict[str, Any] = {"groups": 3, "paddings": [1, 1], "activation": "hard_swish"}
    inputs = {"Input": x, "Filter": w, "Bias": bias, "ResidualData": residual}
    plane = (4 + 2) * (6 + 2) * x.itemsize
    monkeypatch.setattr("lite.kernels.host.convolution.conv2d_depthwise.TILE_BYTES", 3 * 3 * plane * images)

    found = prepared("conv2d", inputs, attrs, "Filter")

    sums = convolved(x, w, (1, 1), (1, 1, 1, 1), (1, 1), 3) + bias[:, None, None] + residual
    np.testing.assert_allclose(found, sums * np.clip(sums + 3, 0, 6) / 6, rtol=1e-5, atol=1e-5)


def test_few_outputs_in_several_tiles_give_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    x, w = random(1, 16, 9, 7), random(4, 16, 3, 3)
    monkeypatch.setattr("lite.kernels.host.convolution.epilogue.TILE_BYTES", 2000)

    (found,) = checked("conv2d", {"Input": x, "Filter": w})

    np.testing.assert_allclose(found, convolved(x, w, (1, 1), (0, 0, 0, 0), (1, 1), 1), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("algorithm", "strides", "dilations", "sides", "used_dilations"),
    [
        ("SAME", (1, 1), (1, 1), (1, 1, 0, 1), (1, 1)),
        ("SAME", (2, 2), (1, 1), (1, 1, 0, 0), (1, 1)),
        ("SAME", (1, 1), (2, 2), (1, 1, 0, 1), (1, 1)),
        ("VALID", (1, 1), (2, 1), (0, 0, 0, 0), (2, 1)),
    ],
)
def test_padding_algorithms_are_those_of_paddle(
    algorithm: str, strides: Pair, dilations: Pair, sides: Sides, used_dilations: Pair
) -> None:
    x, w = random(1, 2, 7, 6), random(3, 2, 3, 2)
    attrs: dict[str, Any] = {
        "padding_algorithm": algorithm,
        "strides": [*strides],
        "dilations": [*dilations],
        "paddings": [5, 5],
    }

    (found,) = checked("conv2d", {"Input": x, "Filter": w}, attrs)

    np.testing.assert_allclose(
        found, convolved(x, w, strides, sides, used_dilations, 1), rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("w_shape", [(4, 3, 1, 1), (4, 3, 3, 3), (3, 1, 3, 3)])
def test_nhwc_is_nchw_with_permuted_axes(w_shape: tuple[int, ...]) -> None:
    x, w, residual = random(2, 3, 5, 4), random(*w_shape), random(2, w_shape[0], 5, 4)
    pad = w_shape[2] // 2
    attrs: dict[str, Any] = {"data_format": "NHWC", "groups": 3 // w_shape[1], "paddings": [pad, pad]}
    inputs = {"Input": x.transpose(0, 2, 3, 1), "Filter": w, "ResidualData": residual.transpose(0, 2, 3, 1)}

    (found,) = checked("conv2d", inputs, attrs)

    wanted = convolved(x, w, (1, 1), (pad,) * 4, (1, 1), 3 // w_shape[1]) + residual
    np.testing.assert_allclose(found.transpose(0, 3, 1, 2), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("attrs", "function"),
    [
        ({"activation": "relu"}, lambda v: np.maximum(v, 0)),
        ({"activation": "relu6", "activation_params": [1.5]}, lambda v: np.clip(v, 0, 1.5)),
        ({"activation": "leaky_relu", "activation_params": [0.25]}, lambda v: np.where(v > 0, v, v / 4)),
        ({"activation": "hard_swish"}, lambda v: v * np.clip(v + 3, 0, 6) / 6),
        ({"activation": ""}, lambda v: v),
    ],
)
@pytest.mark.parametrize("w_shape", [(2, 2, 1, 1), (2, 1, 2, 2)])
def test_bias_residual_and_activation_follow_the_sum(
    attrs: dict[str, Any], function: Any, w_shape: tuple[int, ...]
) -> None:
    x, w, bias = random(2, 2, 3, 3), random(*w_shape), random(2)
    wanted = convolved(x, w, (1, 1), (0, 0, 0, 0), (1, 1), 2 // w_shape[1])
    residual = random(*wanted.shape)
    inputs = {"Input": x, "Filter": w, "Bias": bias, "ResidualData": residual}

    (found,) = checked("conv2d", inputs, {"groups": 2 // w_shape[1], **attrs})

    wanted = function(wanted + bias[:, None, None] + residual)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("attrs", [{"activation": "relu"}, {}])
@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize(
    ("w_shape", "groups"), [((4, 4, 1, 1), 1), ((4, 4, 3, 3), 1), ((4, 1, 3, 3), 4), ((4, 16, 3, 3), 1)]
)
def test_scale_and_shift_follow_the_activation(
    w_shape: tuple[int, ...], groups: int, size: int, attrs: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lite.kernels.host.convolution.epilogue.TILE_BYTES", 300)
    x, w, scale, shift = random(2, w_shape[1] * groups, 5, 6), random(*w_shape), random(size), random(size)
    sums = convolved(x, w, (1, 1), (0, 0, 0, 0), (1, 1), groups)
    wanted = np.maximum(sums, 0) if attrs else sums

    (scaled,) = checked("conv2d", {"Input": x, "Filter": w, "PostScale": scale}, {"groups": groups, **attrs})
    inputs = {"Input": x, "Filter": w, "PostScale": scale, "PostShift": shift}
    shifted = prepared("conv2d", inputs, {"groups": groups, **attrs}, "Filter")

    wanted = wanted * scale[:, None, None]
    np.testing.assert_allclose(scaled, wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(shifted, wanted + shift[:, None, None], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("data_format", ["NCHW", "NHWC"])
@pytest.mark.parametrize("shape", [(4, 5, 6), (2, 4, 5, 6), (1, 4, 1, 1), (1, 1, 5, 1), (1, 1, 1, 1)])
@pytest.mark.parametrize("x_shape", [(2, 3, 5, 6), (1, 3, 5, 1)])
def test_a_residual_broadcasts(x_shape: tuple[int, ...], shape: tuple[int, ...], data_format: str) -> None:
    x, w, bias, residual = random(*x_shape), random(4, 3, 1, 1), random(4), random(*([1] * 4), *shape)
    residual = residual.reshape((1,) * (4 - len(shape)) + shape)
    last = data_format == "NHWC"
    inputs = {
        "Input": x.transpose(0, 2, 3, 1) if last else x,
        "Filter": w,
        "Bias": bias,
        "ResidualData": residual.transpose(0, 2, 3, 1) if last else residual,
    }

    (found,) = checked("conv2d", inputs, {"data_format": data_format, "activation": "relu"})

    sums = convolved(x, w, (1, 1), (0, 0, 0, 0), (1, 1), 1) + bias[:, None, None]
    wanted = np.maximum(sums + residual, 0)
    np.testing.assert_allclose(found, wanted.transpose(0, 2, 3, 1) if last else wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float64, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("w_shape", [(4, 2, 1, 1), (4, 2, 3, 3), (2, 1, 3, 3)])
def test_half_and_double_precision_are_computed(dtype: Any, w_shape: tuple[int, ...]) -> None:
    x, w, bias = (random(*s).astype(dtype) for s in ((1, 2, 4, 4), w_shape, w_shape[:1]))
    groups = 2 // w_shape[1]

    (found,) = checked("conv2d", {"Input": x, "Filter": w, "Bias": bias}, {"groups": groups})

    wanted = convolved(x, w, (1, 1), (0, 0, 0, 0), (1, 1), groups) + bias.astype(float)[:, None, None]
    tolerance = 1e-12 if dtype == np.float64 else 2e-2
    assert found.dtype == dtype
    np.testing.assert_allclose(found.astype(float), wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("w_shape", [(2, 3, 1, 1), (2, 3, 2, 3), (3, 1, 3, 3)])
def test_input_may_be_strided(w_shape: tuple[int, ...]) -> None:
    x, w = random(3, 8, 2, 10)[:, ::2, :, ::2].swapaxes(0, 1)[::-1].transpose(2, 1, 0, 3), random(*w_shape)
    x.flags.writeable = False
    groups = 3 // w_shape[1]

    found = evaluate("conv2d", {"Input": [x], "Filter": [w]}, {"groups": groups}, {"Output": 1})

    wanted = convolved(x, w, (1, 1), (0, 0, 0, 0), (1, 1), groups)
    np.testing.assert_allclose(found["Output"][0].array, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("x_shape", "attrs", "said"),
    [
        ((1, 4, 5, 5), {}, "conv2d: Input: expected 3 channels"),
        ((1, 3, 2, 5), {}, "conv2d: Input: expected an image that filter"),
        ((1, 3, 5, 5), {"strides": [1]}, "conv2d: attribute strides: expected 2 numbers"),
        ((1, 3, 5, 5), {"dilations": [0, 1]}, "conv2d: attribute dilations: expected positive"),
        ((1, 3, 5, 5), {"paddings": [0, 0, 0]}, "conv2d: attribute paddings: expected 2 or 4"),
        ((1, 6, 5, 5), {"groups": 2}, "conv2d: attribute groups: expected a divisor of 5"),
    ],
)
def test_images_and_filters_that_do_not_fit_are_refused(
    x_shape: tuple[int, ...], attrs: dict[str, Any], said: str
) -> None:
    outputs = 5 if "groups" in attrs else 2

    with pytest.raises(GraphError, match=said):
        checked("conv2d", {"Input": random(*x_shape), "Filter": random(outputs, 3, 3, 3)}, attrs)
