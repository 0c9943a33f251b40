"""correlation by numpy."""

from __future__ import annotations

import math

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array, kernel, write


@kernel("correlation")
def correlation(
    Input1: Array,
    Input2: Array,
    *,
    pad_size: int,
    kernel_size: int,
    max_displacement: int,
    stride1: int,
    stride2: int,
    out: Array | None = None,
) -> Array:
    """Paddle correlation: mean products of patches of Input1 and displaced patches of Input2.

    Both are ``float[N, C, H, W]``, padded with `pad_size` zeros.  Patch centres start at `max_displacement`
    in the padded image and are `stride1` apart.  A channel of the output is a displacement; displacements are
    `stride2` apart, and the one along columns varies fastest.  A. Dosovitskiy et al., "FlowNet: Learning
    Optical Flow with Convolutional Networks", 2015.
    """
    batch, channels, height, width = Input1.shape
    radius = (kernel_size - 1) // 2
    border = radius + max_displacement
    outs = [math.ceil((size + 2 * (pad_size - border)) / stride1) for size in (height, width)]
    # Pad by `radius` more: with a radius above max_displacement, a patch begins before the padded image.
    before = pad_size + radius
    first, second = (
        np.pad(widened(x), [(0, 0), (0, 0), (before, before + stride1), (before, before + stride1)])
        for x in (Input1, Input2)
    )
    reach = max_displacement // stride2 * stride2
    steps = range(-reach, reach + 1, stride2)
    result = np.zeros((batch, len(steps) ** 2, *outs), first.dtype)
    window = range(-radius, radius + 1)
    for n, (down, right) in enumerate((i, j) for i in steps for j in steps):
        for i, j in ((i, j) for i in window for j in window):
            here = _grid(first, border + i, border + j, outs, stride1)
            there = _grid(second, border + i + down, border + j + right, outs, stride1)
            result[:, n] += np.einsum("nchw,nchw->nhw", here, there)
    result /= kernel_size * kernel_size * channels
    return write(out, result.astype(Input1.dtype, copy=False))


def _grid(x: Array, row: int, column: int, outs: list[int], stride: int) -> Array:
    rows, columns = (
        slice(start, start + (n - 1) * stride + 1, stride)
        for start, n in zip((row, column), outs, strict=True)
    )
    return x[:, :, rows, columns]
