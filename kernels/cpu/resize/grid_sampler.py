"""grid_sampler and grid_sample of images of float32."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.codes import BORDER, REFLECTION, ZEROS
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.placement.layout import transposition
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_grid_taps, _image_taps = Function("sampling.grid_taps"), Function("sampling.image_taps")
_sample_planes, _sample_pixels = Function("sampling.sample_planes"), Function("sampling.sample_pixels")

_PADDINGS = {"zeros": ZEROS, "border": BORDER, "reflection": REFLECTION}

_TAPS = {"nearest": 1, "linear": 2, "cubic": 4}
"""The pixels along each axis that grid_sample combines."""

_IMAGES = 4
"""The rank of images ``[N, C, H, W]``."""

_FEW_CHANNELS = 4
"""Channels up to which four taps are combined plane by plane: with more, a vector has several channels."""

Find = Callable[[Array, Array, Array], None]
"""Finds the pixels and the weights of all positions of a grid."""


@kernel("grid_sampler", "cpu", dtype=DType.FLOAT32, fallback="host")
def grid_sampler(ctx: PrepareContext) -> KernelFunction | None:
    """Samples of ``X[N, C, H, W]`` at ``Grid[N, Ho, Wo, 2]``: the pixels of each position are found once."""
    attrs, shape = ctx.attrs, ctx.outputs["Output"][0].sizes
    if not _is_possible(ctx, shape):
        return None
    _, _, height, width = ctx.inputs["X"][0].sizes
    count = shape[0] * shape[2] * shape[3]
    find = _grid_taps.bind(
        FREE, FREE, FREE, height, width, int(attrs.text("mode") == "nearest"),
        _PADDINGS[attrs.text("padding_mode")], int(attrs.flag("align_corners")), count=count,
        cost=4 * PER_ELEMENT * count,
    )  # fmt: skip
    return _sampled(ctx, shape, find, 4)


@kernel("grid_sample", "cpu", dtype=DType.FLOAT32, fallback="host")
def grid_sample(ctx: PrepareContext) -> KernelFunction | None:
    """Like grid_sampler, with ONNX's positions of nearest pixels, and cubic; None for volumes."""
    attrs, shape = ctx.attrs, ctx.outputs["Out"][0].sizes
    if ctx.inputs["X"][0].rank != _IMAGES or not _is_possible(ctx, shape):
        return None
    _, _, height, width = ctx.inputs["X"][0].sizes
    taps, count = _TAPS[attrs.text("mode")], shape[0] * shape[2] * shape[3]
    along = ctx.scratch((8 * count,), np.int64), ctx.scratch((8 * count,))
    find = _image_taps.bind(
        FREE, FREE, FREE, FREE, FREE, height, width, taps, _PADDINGS[attrs.text("padding_mode")],
        int(attrs.flag("align_corners")), count=count, cost=4 * taps * PER_ELEMENT * count,
    )  # fmt: skip

    def find_taps(grid: Array, places: Array, weights: Array) -> None:
        find(grid, places, weights, along[0].array, along[1].array)

    return _sampled(ctx, shape, find_taps, taps * taps)


def _is_possible(ctx: PrepareContext, shape: tuple[int, ...]) -> bool:
    return ctx.inputs["Grid"][0].dtype is DType.FLOAT32 and 0 not in (*shape, *ctx.inputs["X"][0].sizes)


def _sampled(ctx: PrepareContext, shape: tuple[int, ...], find: Find, taps: int) -> KernelFunction:
    """The function that finds the pixels and combines them."""
    from lite.kernels.cpu.lengths.images import SAMPLED_POINTS

    n, channels, height, width = ctx.inputs["X"][0].sizes
    pixels, points = height * width, shape[2] * shape[3]
    places, weights = ctx.scratch((taps * n * points,), np.int64), ctx.scratch((taps * n * points,))
    cost = taps * PER_ELEMENT * n * channels * points // 4
    if channels <= _FEW_CHANNELS and taps == 4:
        planes = _sample_planes.bind(
            FREE, FREE, FREE, FREE, channels, pixels, points, count=n * channels, cost=cost
        )

        def run_planes(X: Array, Grid: Array, *, out: Array | None = None) -> Array:
            result = np.empty(shape, np.float32) if out is None else out
            find(Grid, places.array, weights.array)
            planes(X, places.array, weights.array, result)
            return result

        return only_launches(run_planes)
    images = ctx.scratch((n * pixels * channels,))
    block = ctx.scratch_per_thread(min(SAMPLED_POINTS, points) * channels)
    transpose = transposition(n, channels, pixels)
    sample = _sample_pixels.bind(
        FREE, FREE, FREE, block, FREE, channels, pixels, points, taps,
        count=n * -(-points // SAMPLED_POINTS), cost=cost,
    )  # fmt: skip

    def run(X: Array, Grid: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        transpose(X, images.array)
        find(Grid, places.array, weights.array)
        sample(images.array, places.array, weights.array, result)
        return result

    return only_launches(run)
