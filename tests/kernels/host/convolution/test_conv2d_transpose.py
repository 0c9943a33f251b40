"""conv2d_transpose against loops over the definition."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lite.errors import GraphError
from lite.plugin.kernel import Array
from tests.kernels.host.checked import checked
from tests.kernels.host.prepared import prepared


def random(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def scattered(
    x: Array,
    w: Array,
    strides: tuple[int, int],
    before: tuple[int, int],
    dilations: tuple[int, int],
    groups: int,
    sizes: tuple[int, int],
) -> Array:
    """Every element, multiplied with the filter, added where the filter lies over the output."""
    inputs, per_group, kh, kw = w.shape
    result = np.zeros((x.shape[0], per_group * groups, *sizes))
    for n, c, h, v in np.ndindex(*x.shape):
        first = c // (inputs // groups) * per_group
        for o, i, j in np.ndindex(per_group, kh, kw):
            row = h * strides[0] + i * dilations[0] - before[0]
            column = v * strides[1] + j * dilations[1] - before[1]
            if 0 <= row < sizes[0] and 0 <= column < sizes[1]:
                result[n, first + o, row, column] += float(x[n, c, h, v]) * float(w[c, o, i, j])
    return result


CASES: dict[str, tuple[Any, ...]] = {
    # x, filter, strides, before, dilations, groups, output sizes, further attributes
    "kernel is stride": ((2, 3, 4, 5), (3, 2, 2, 2), (2, 2), (0, 0), (1, 1), 1, (8, 10), {}),
    "uneven": ((1, 3, 2, 3), (3, 4, 3, 1), (3, 1), (0, 0), (1, 1), 1, (6, 3), {}),
    "overlapping": ((2, 3, 4, 3), (3, 2, 3, 3), (2, 2), (1, 1), (1, 1), 1, (7, 5), {"paddings": [1, 1]}),
    "gaps": ((1, 2, 3, 3), (2, 2, 2, 1), (3, 2), (0, 0), (1, 1), 1, (8, 5), {}),
    "cropped": ((1, 2, 3, 3), (2, 2, 2, 2), (2, 2), (1, 0), (1, 1), 1, (3, 5), {"paddings": [1, 2, 0, 1]}),
    "dilated": ((1, 2, 3, 4), (2, 3, 2, 3), (1, 2), (0, 0), (2, 3), 1, (5, 13), {}),
    "groups": ((1, 4, 3, 3), (4, 3, 2, 3), (1, 1), (0, 0), (1, 1), 2, (4, 5), {}),
    "depthwise": ((2, 3, 3, 4), (3, 1, 3, 2), (2, 1), (0, 0), (1, 1), 3, (7, 5), {}),
    "padding below": (
        (1, 2, 3, 3),
        (2, 1, 2, 2),
        (2, 2),
        (0, 0),
        (1, 1),
        1,
        (7, 6),
        {"output_padding": [1, 0]},
    ),
    "size": ((1, 2, 3, 3), (2, 1, 2, 2), (2, 2), (0, 0), (1, 1), 1, (7, 6), {"output_size": [7, 6]}),
    "same": ((1, 2, 3, 3), (2, 1, 3, 3), (1, 1), (1, 1), (1, 1), 1, (3, 3), {"padding_algorithm": "SAME"}),
    "empty batch": ((0, 2, 3, 3), (2, 1, 2, 2), (2, 2), (0, 0), (1, 1), 1, (6, 6), {}),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_conv2d_transpose_scatters_products(case: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    x_shape, w_shape, strides, before, dilations, groups, sizes, more = case
    x, w, bias = random(*x_shape), random(*w_shape), random(w_shape[1] * groups)
    attrs = {"strides": [*strides], "dilations": [*dilations], "groups": groups, **more}

    (plain,) = checked("conv2d_transpose", {"Input": x, "Filter": w}, attrs)
    monkeypatch.setattr("lite.kernels.host.convolution.epilogue.TILE_BYTES", 300)
    tiled = prepared(
        "conv2d_transpose", {"Input": x, "Filter": w, "Bias": bias}, {**attrs, "activation": "relu"}, "Filter"
    )

    wanted = scattered(x, w, strides, before, dilations, groups, sizes)
    np.testing.assert_allclose(plain, wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(tiled, np.maximum(wanted + bias[:, None, None], 0), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kernel", [2, 3])
def test_scale_and_shift_follow_the_activation(kernel: int) -> None:
    x, w, bias, scale, shift = (
        random(1, 3, 4, 5),
        random(3, 2, kernel, kernel),
        random(2),
        random(2),
        random(1),
    )
    inputs = {"Input": x, "Filter": w, "Bias": bias, "PostScale": scale, "PostShift": shift}
    attrs: dict[str, Any] = {"strides": [2, 2], "activation": "relu"}
    sizes = (6 + kernel, 8 + kernel)

    (found,) = checked("conv2d_transpose", inputs, attrs)
    packed = prepared("conv2d_transpose", inputs, attrs, "Filter")

    sums = scattered(x, w, (2, 2), (0, 0), (1, 1), 1, sizes) + bias[:, None, None]
    wanted = np.maximum(sums, 0) * scale[:, None, None] + shift
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(packed, wanted, rtol=1e-5, atol=1e-5)


def test_the_output_size_may_be_a_tensor() -> None:
    x, w = random(1, 2, 3, 3), random(2, 1, 2, 2)

    (found,) = checked(
        "conv2d_transpose",
        {"Input": x, "Filter": w, "OutputSize": np.array([7, 6], np.int32)},
        {"strides": [2, 2]},
    )

    wanted = scattered(x, w, (2, 2), (0, 0), (1, 1), 1, (7, 6))
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
def test_nhwc_and_element_types(dtype: Any) -> None:
    x, w = random(2, 3, 4, 5).astype(dtype), random(3, 2, 2, 2).astype(dtype)

    (found,) = checked(
        "conv2d_transpose",
        {"Input": x.transpose(0, 2, 3, 1), "Filter": w},
        {"strides": [2, 2], "data_format": "NHWC"},
    )

    wanted = scattered(x, w, (2, 2), (0, 0), (1, 1), 1, (8, 10)).transpose(0, 2, 3, 1)
    tolerance = 1e-5 if np.dtype(dtype).itemsize > 2 else 2e-2
    assert found.dtype == dtype
    np.testing.assert_allclose(found.astype(float), wanted, rtol=tolerance, atol=tolerance)


def test_channels_must_match_the_filter() -> None:
    with pytest.raises(GraphError, match="conv2d_transpose: Input: expected 3 channels"):
        checked("conv2d_transpose", {"Input": random(1, 2, 3, 3), "Filter": random(3, 2, 2, 2)})
