"""Poolings of the SDK against loops over windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.bridges.arrays import assert_close, floats, integers
from tests.bridges.sim_npu.sdk.program_run import refusal, run


def pool_by_loops(
    x: Array, mode: str, kernel: tuple[int, int], stride: int, pads: tuple[int, int, int, int], whole: bool
) -> Array:
    """Each pixel from the elements of its window that lie in the image."""
    top, bottom, left, right = pads
    rows = (x.shape[2] + top + bottom - kernel[0]) // stride + 1
    columns = (x.shape[3] + left + right - kernel[1]) // stride + 1
    y = np.empty((*x.shape[:2], rows, columns))
    for n, c, i, j in np.ndindex(y.shape):
        inside = [
            float(x[n, c, i * stride + p - top, j * stride + q - left])
            for p, q in np.ndindex(kernel)
            if 0 <= i * stride + p - top < x.shape[2] and 0 <= j * stride + q - left < x.shape[3]
        ]
        count = kernel[0] * kernel[1] if whole else len(inside)
        y[n, c, i, j] = max(inside) if mode == "MAX" else sum(inside) / count
    return y


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("mode", ["MAX", "AVERAGE"])
@pytest.mark.parametrize(
    ("kernel", "stride", "pads"),
    [
        ((2, 2), 2, (0, 0, 0, 0)),
        ((3, 2), 1, (1, 2, 1, 0)),
        ((8, 7), 3, (1, 1, 0, 0)),
        ((1, 1), 2, (0, 0, 0, 0)),
    ],
)
def test_pooling_equals_a_loop(
    mode: str, whole: bool, kernel: tuple[int, int], stride: int, pads: tuple[int, int, int, int]
) -> None:
    x = floats(2, 3, 9, 8) - 2
    expected = pool_by_loops(x, mode, kernel, stride, pads, whole)

    (result,) = run("POOL_2D", x, mode=mode, kernel=kernel, stride=stride, pads=pads, count_padding=whole)

    assert_close(result, expected.astype(np.float32), 1e-6)


@pytest.mark.parametrize(
    ("attributes", "sentence"),
    [
        ({"kernel": (9, 2)}, "107 LIMIT_EXCEEDED: POOL_2D: kernel 9x2 (supported: up to 8x8)"),
        ({"kernel": (2, 2), "stride": 9}, "107 LIMIT_EXCEEDED: POOL_2D: stride 9 (supported: 1 to 8)"),
        (
            {"kernel": (2, 3), "pads": (2, 0, 0, 0)},
            "107 LIMIT_EXCEEDED: POOL_2D: pads [2, 0, 0, 0] must be smaller than kernel [2, 3]",
        ),
        (
            {"kernel": (2, 2), "mode": "MEDIAN"},
            "103 INVALID_ATTRIBUTE: POOL_2D: mode must be MAX or AVERAGE, got 'MEDIAN'",
        ),
    ],
)
def test_attributes_beyond_the_limits_are_errors(attributes: dict[str, Any], sentence: str) -> None:
    attributes = {"mode": "MAX", **attributes}
    assert refusal("POOL_2D", floats(1, 1, 12, 12), **attributes) == f"NPU-{sentence}"


def test_other_images_than_float32_of_four_axes_are_errors() -> None:
    for x in (floats(3, 8, 8), integers(1, 3, 8, 8)):
        assert refusal("POOL_2D", x, mode="MAX", kernel=(2, 2)).startswith(
            "NPU-104 INVALID_SHAPE: POOL_2D: an image"
        )
