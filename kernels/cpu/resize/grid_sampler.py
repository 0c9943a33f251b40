"""grid_sampler of float32."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.codes import BORDER, REFLECTION, ZEROS
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_grid_taps, _sample_planes = Function("sampling.grid_taps"), Function("sampling.sample_planes")

_PADDINGS = {"zeros": ZEROS, "border": BORDER, "reflection": REFLECTION}


@kernel("grid_sampler", "cpu", dtype=DType.FLOAT32, fallback="host")
def grid_sampler(ctx: PrepareContext) -> KernelFunction | None:
    """Samples of ``X[N, C, H, W]`` at ``Grid[N, Ho, Wo, 2]``: the pixels of each position are found once."""
    attrs, (n, channels, height, width) = ctx.attrs, ctx.inputs["X"][0].sizes
    shape = ctx.outputs["Output"][0].sizes
    points = shape[2] * shape[3]
    if ctx.inputs["Grid"][0].dtype is not DType.FLOAT32 or not n * channels * height * width * points:
        return None
    places, weights = ctx.scratch((4 * n * points,), np.int64), ctx.scratch((4 * n * points,))
    find = _grid_taps.bind(
        FREE, FREE, FREE, height, width, int(attrs.text("mode") == "nearest"),
        _PADDINGS[attrs.text("padding_mode")], int(attrs.flag("align_corners")), count=n * points,
        cost=4 * PER_ELEMENT * n * points,
    )  # fmt: skip
    sample = _sample_planes.bind(
        FREE, FREE, FREE, FREE, channels, height * width, points, count=n * channels,
        cost=PER_ELEMENT * n * channels * points,
    )  # fmt: skip

    def run(X: Array, Grid: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        find(Grid, places.array, weights.array)
        sample(X, places.array, weights.array, result)
        return result

    return only_launches(run)
