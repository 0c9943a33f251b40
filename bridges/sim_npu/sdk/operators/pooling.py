"""POOL_2D: maxima or averages of windows of an image float32[N, C, H, W].

Attributes: ``mode`` (MAX or AVERAGE), ``kernel`` (rows, columns), ``stride`` (one number), ``pads`` (top,
bottom, left, right; smaller than the kernel), ``count_padding``: whether an average divides by the size of
the window or by the number of its elements inside the image.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.bridges.sim_npu.sdk.attributes import Attributes, choice, flag, integers
from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.operator import operator
from lite.bridges.sim_npu.sdk.operators.window import Windows, require_image
from lite.bridges.sim_npu.sdk.tensor import Array, TensorType


def _pool_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    (image,) = inputs
    require_image(image)
    choice(attributes, "mode", "MAX", "AVERAGE")
    flag(attributes, "count_padding")
    kernel = integers(attributes, "kernel", 2)
    windows = Windows.read(kernel, attributes)
    if max(windows.pads[:2]) >= kernel[0] or max(windows.pads[2:]) >= kernel[1]:
        raise NpuError(
            Status.LIMIT_EXCEEDED, f"pads {list(windows.pads)} must be smaller than kernel {kernel}"
        )
    return [TensorType("float32", (*image.shape[:2], *windows.out(image.shape[2:])))]


def _pool(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    (image,) = inputs
    windows = Windows.read(integers(attributes, "kernel", 2), attributes)
    out = windows.out(image.shape[2:])
    if attributes["mode"] == "MAX":
        return [_combined(windows, windows.padded(image, -np.inf), out, np.maximum)]
    sums = _combined(windows, windows.padded(image, 0), out, np.add)
    if flag(attributes, "count_padding"):
        return [sums / np.float32(windows.kernel[0] * windows.kernel[1])]
    inside = windows.padded(np.ones((1, 1, *image.shape[2:]), np.float32), 0)
    return [sums / _combined(windows, inside, out, np.add)]


def _combined(windows: Windows, image: Array, out: Sequence[int], combine: np.ufunc) -> Array:
    taps = windows.taps(image, out)
    result: Array = next(taps)[2].copy()
    for _, _, tap in taps:
        combine(result, tap, out=result)
    return result


operator(
    "POOL_2D", 1, _pool_type, _pool, mode=None, kernel=None, stride=1, pads=[0, 0, 0, 0], count_padding=False
)
