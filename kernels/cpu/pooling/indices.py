"""Maxima of windows with their indices: max_pool2d_with_index, and the part of pool_nd that has them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.ops.window import Window, windows
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_pool_places, _pool_short_places = (
    Function("pool_places.pool_places"),
    Function("pool_places.pool_short_places"),
)

_AXES = 3


@kernel("max_pool2d_with_index", "cpu", dtype=DType.FLOAT32, fallback="host")
@kernel("max_pool3d_with_index", "cpu", dtype=DType.FLOAT32, fallback="host")
def max_pool_with_index(ctx: PrepareContext) -> KernelFunction | None:
    """Maxima of windows or bins of images ``float32[N, C, …]``, and their places in the image.

    Maxima of whole images, in which NaN counts as the largest number, are left to the host.
    """
    attrs, shape, outs = ctx.attrs, ctx.inputs["X"][0].sizes, ctx.outputs["Out"][0].sizes
    bins = attrs.flag("adaptive")
    if attrs.flag("global_pooling") or (bins and set(outs[2:]) == {1}):
        return None
    ones = (1,) * (len(shape) - 2)
    if bins:
        taps = [_bins(size, out) for size, out in zip(shape[2:], outs[2:], strict=True)]
    else:
        over = windows(
            shape[2:], attrs.integers("ksize"), attrs.integers("strides"), ones, attrs.integers("paddings"),
            "EXPLICIT",
        )  # fmt: skip
        taps = window_taps(over, shape[2:], outs[2:])
    steps = [math.prod(shape[axis + 1 :]) for axis in range(2, len(shape))]
    return pooling_with_indices(shape, outs, taps, ones, (*steps, 0), DType.INT32)


def pooling_with_indices(
    shape: Sequence[int], outs: Sequence[int], taps: Sequence[tuple[Array, Array]], dilations: Sequence[int],
    steps: Sequence[int], dtype: DType,
) -> KernelFunction | None:  # fmt: skip
    """The function for inputs and results of these shapes; None where one is empty.

    `taps` are for each axis the first elements of the windows, and the number of elements.  `steps` are the
    differences of the indices of neighbours along each axis, and of images.
    """
    if 0 in (*shape, *outs):
        return None
    missing = _AXES - len(dilations)
    ranges = [*[(np.zeros(1, np.int64), np.ones(1, np.int64))] * missing, *taps]
    sizes, results = (*[1] * missing, *shape[2:]), (*[1] * missing, *outs[2:])
    ones, zeros = [1] * missing, [0] * missing
    planes, spans = shape[0] * shape[1], math.prod(int(counts.sum()) for _, counts in ranges)
    function = _pool_places if dtype is DType.INT64 else _pool_short_places
    compute = function.bind(
        FREE, FREE, FREE, *(edges for each in ranges for edges in each),
        np.array([*sizes, *results, *ones, *dilations, *zeros, *steps], np.int64),
        count=planes * results[0] * results[1], cost=4 * PER_ELEMENT * planes * spans,
    )  # fmt: skip

    def run(X: Array, *, out: tuple[Array | None, ...] | None = None) -> tuple[Array, Array]:
        buffers = (None, None) if out is None else out
        pooled = np.empty(outs, np.float32) if buffers[0] is None else buffers[0]
        indices = np.empty(outs, dtype.numpy) if buffers[1] is None else buffers[1]
        compute(X, pooled, indices)
        return pooled, indices

    return only_launches(run)


def window_taps(
    over: Sequence[Window], image: Sequence[int], outs: Sequence[int]
) -> list[tuple[Array, Array]]:
    """For the windows along each axis, the first element inside the image, and the number of those."""
    taps = []
    for window, size, out in zip(over, image, outs, strict=True):
        starts = np.arange(out, dtype=np.int64) * window.stride - window.before
        # A window that begins before the input has its first element there some dilations later.
        first = np.maximum(starts, starts % window.dilation)
        end = np.minimum(starts + window.extent, size)
        taps.append((first, np.maximum(-((first - end) // window.dilation), 0)))
    return taps


def _bins(size: int, out: int) -> tuple[Array, Array]:
    steps = np.arange(out, dtype=np.int64)
    starts = steps * size // out
    return starts, -(-(steps + 1) * size // out) - starts
