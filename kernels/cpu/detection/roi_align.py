"""roi_align_indexed of float32 with a fixed number of samples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.placement.layout import transposition
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_roi_taps, _roi_bins = Function("sampling.roi_taps"), Function("sampling.roi_bins")
_roi_pixels = Function("sampling.roi_pixels")

_FEW_CHANNELS = 4
"""With fewer channels, or boxes that read fewer pixels than the images have, channels stay first."""

_MOST_TAPS = 1 << 25
"""The most pixels of all samples; beyond that the host computes one box after the other."""


@kernel("roi_align_indexed", "cpu", dtype=DType.FLOAT32, fallback="host")
def roi_align_indexed(ctx: PrepareContext) -> KernelFunction | None:
    """The pixels and weights of each bin are found once for all channels."""
    attrs, (n, channels, height, width) = ctx.attrs, ctx.inputs["X"][0].sizes
    boxes, samples = ctx.inputs["ROIs"][0].sizes[0], attrs.integer("sampling_ratio")
    shape = ctx.outputs["Out"][0].sizes
    bins = shape[2] * shape[3]
    is_max = attrs.text("pooling_type") == "max"
    if samples < 1 or ctx.inputs["ROIs"][0].dtype is not DType.FLOAT32:
        return None
    taps = 4 * samples * samples * bins * boxes
    if not n * channels * height * width * taps or taps > _MOST_TAPS:
        return None
    places, weights = ctx.scratch((taps,), np.int64), ctx.scratch((taps,))
    find = _roi_taps.bind(
        FREE, FREE, FREE, height, width, shape[2], shape[3], samples,
        1 if is_max else samples * samples, attrs.real("spatial_scale"), int(attrs.flag("aligned")),
        count=boxes, cost=4 * PER_ELEMENT * taps,
    )  # fmt: skip
    sample = _samples(ctx, bins, taps // (bins * boxes), boxes, int(is_max))

    def run(X: Array, ROIs: Array, Images: Array, *, out: Array | None = None) -> Array:
        if not np.isfinite(ROIs).all():
            raise ValueError("ROIs: expected finite numbers, as in ONNX Runtime")
        images = Images.astype(np.int64, copy=False)
        if images.min() < 0 or images.max() >= n:
            raise IndexError(f"Images: expected 0 to {n - 1}, got {images.min()} to {images.max()}")
        result = np.empty(shape, np.float32) if out is None else out
        find(ROIs, places.array, weights.array)
        sample(X, images, places.array, weights.array, result)
        return result

    return run


def _samples(ctx: PrepareContext, bins: int, taps: int, boxes: int, is_max: int) -> Callable[..., None]:
    """What computes the bins in images, by the numbers of the boxes' images, and the pixels and weights."""
    from lite.kernels.cpu.lengths.images import SAMPLED_POINTS

    n, channels, height, width = ctx.inputs["X"][0].sizes
    pixels, cost = height * width, PER_ELEMENT * bins * taps * boxes * channels
    if channels < _FEW_CHANNELS or bins * taps * boxes < n * pixels:
        return _roi_bins.bind(
            FREE, FREE, FREE, FREE, FREE, n, channels, pixels, bins, taps, is_max, count=boxes, cost=cost
        )
    transposed = ctx.scratch((n * pixels * channels,))
    block = ctx.scratch_per_thread(min(SAMPLED_POINTS, bins) * channels)
    transpose = transposition(n, channels, pixels)
    combine = _roi_pixels.bind(
        FREE, FREE, FREE, FREE, block, FREE, n, channels, pixels, bins, taps, is_max,
        count=boxes * -(-bins // SAMPLED_POINTS), cost=cost // 4,
    )  # fmt: skip

    def sample(x: Array, images: Array, places: Array, weights: Array, out: Array) -> None:
        transpose(x, transposed.array)
        combine(transposed.array, images, places, weights, out)

    return sample
