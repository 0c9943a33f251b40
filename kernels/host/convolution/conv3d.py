"""conv3d and conv3d_transpose by numpy."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.kernels.host.padded import padded, patches
from lite.ops.window import Window, windows
from lite.plugin.kernel import Array, kernel, write


def correlate(x: Array, weight: Array, found: Sequence[Window], groups: int, fill: float = 0.0) -> Array:
    """`x` ``[N, C, …]`` with a filter ``[O, C/groups, …]`` → ``[N, O, …]``, in the type of the arrays.

    `fill` is what lies around the input.
    """
    batch, channels, *image = x.shape
    outputs = weight.shape[0]
    outs = [int(window.out(size)) for window, size in zip(found, image, strict=True)]
    columns = patches(padded(x, found, outs, fill), found, outs).reshape(
        batch, groups, channels // groups * int(np.prod(weight.shape[2:])), int(np.prod(outs))
    )
    sums: Array = np.matmul(weight.reshape(groups, outputs // groups, columns.shape[2]), columns)
    result: Array = sums.reshape(batch, outputs, *outs)
    return result


Index = tuple[Any, ...]


@kernel("conv3d")
def conv3d(
    Input: Array,
    Filter: Array,
    Bias: Array | None,
    *,
    strides: Sequence[int],
    paddings: Sequence[int],
    padding_algorithm: str,
    dilations: Sequence[int],
    groups: int,
    out: Array | None = None,
) -> Array:
    """Cross-correlation of a volume ``[N, C, D, H, W]`` with a filter ``[O, C/groups, kd, kh, kw]``."""
    found = windows(Input.shape[2:], Filter.shape[2:], strides, dilations, paddings, padding_algorithm)
    result = correlate(widened(Input), widened(Filter), found, groups)
    if Bias is not None:
        result += Bias.reshape(-1, 1, 1, 1)
    return write(out, result.astype(Input.dtype, copy=False))


@kernel("conv3d_transpose")
def conv3d_transpose(
    Input: Array,
    Filter: Array,
    Bias: Array | None,
    *,
    strides: Sequence[int],
    paddings: Sequence[int],
    padding_algorithm: str,
    dilations: Sequence[int],
    groups: int,
    output_padding: Sequence[int],
    out: Array | None = None,
) -> Array:
    """Gradient of a convolution by its input; filter ``[C, O/groups, kd, kh, kw]``."""
    batch, channels, *sizes = Input.shape
    found = windows(sizes, Filter.shape[2:], strides, dilations, paddings, padding_algorithm)
    outs = [
        int(w.transposed(size, more))
        for w, size, more in zip(found, sizes, output_padding or (0, 0, 0), strict=True)
    ]
    x = widened(Input).reshape(batch, groups, channels // groups, int(np.prod(sizes)))
    weight = widened(Filter).reshape(groups, channels // groups, -1)
    products = np.matmul(weight.transpose(0, 2, 1), x)
    products = products.reshape(batch, groups * Filter.shape[1], *Filter.shape[2:], *sizes)
    whole = [
        max((size - 1) * w.stride + w.extent, w.before + size_out)
        for w, size, size_out in zip(found, sizes, outs, strict=True)
    ]
    sums = np.zeros((*products.shape[:2], *whole), products.dtype)
    for tap in itertools.product(*map(range, Filter.shape[2:])):
        to: Index = (
            ...,
            *(
                slice(at * w.dilation, at * w.dilation + (size - 1) * w.stride + 1, w.stride)
                for at, w, size in zip(tap, found, sizes, strict=True)
            ),
        )
        place: Index = (slice(None), slice(None), *tap)
        sums[to] += products[place]
    inside: Index = (..., *(slice(w.before, w.before + size) for w, size in zip(found, outs, strict=True)))
    result = sums[inside]
    if Bias is not None:
        result = result + Bias.reshape(-1, 1, 1, 1)
    return write(out, result.astype(Input.dtype, copy=False))
