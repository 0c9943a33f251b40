"""pixel_shuffle and depth_to_space of float32, as permutations of axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.shape.transpose import transposition
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches


@kernel("pixel_shuffle", "cpu", dtype=DType.FLOAT32, slots=("X",), fallback="host")
def pixel_shuffle(ctx: PrepareContext) -> KernelFunction | None:
    """Channels of images as squares of pixels; the numbers of a square are neighbouring channels."""
    side, shape = ctx.attrs.integer("upscale_factor"), ctx.inputs["X"][0].sizes
    if ctx.attrs.text("data_format") == "NHWC":
        batch, height, width, channels = shape
        return _moved(ctx, (batch, height, width, channels // side**2, side, side), (0, 1, 4, 2, 5, 3))
    batch, channels, height, width = shape
    return _moved(ctx, (batch, channels // side**2, side, side, height, width), (0, 1, 4, 2, 5, 3))


@kernel("depth_to_space", "cpu", dtype=DType.FLOAT32, slots=("X",), fallback="host")
def depth_to_space(ctx: PrepareContext) -> KernelFunction | None:
    """Channels of images as squares of pixels; those of a square are as far apart as possible."""
    side, (batch, channels, height, width) = ctx.attrs.integer("blocksize"), ctx.inputs["X"][0].sizes
    return _moved(ctx, (batch, side, side, channels // side**2, height, width), (0, 3, 4, 1, 5, 2))


def _moved(ctx: PrepareContext, shape: Sequence[int], permutation: Sequence[int]) -> KernelFunction | None:
    """The function that permutes the axes of X seen as an array of this shape."""
    move, out_shape = transposition(shape, permutation), ctx.outputs["Out"][0].sizes
    if move is None:
        return None

    def run(X: Array, *, out: Array | None = None) -> Array:
        result = np.empty(out_shape, np.float32) if out is None else out
        move(X, result)
        return result

    return only_launches(run)
