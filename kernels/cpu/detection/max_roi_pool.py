"""max_roi_pool of float32."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_LARGEST = 1 << 24
"""The largest size of an image whose pixels float32 can count."""

_roi_pool = Function("roi_pool.roi_pool")


@kernel("max_roi_pool", "cpu", dtype=DType.FLOAT32, fallback="host")
def max_roi_pool(ctx: PrepareContext) -> KernelFunction | None:
    """Maxima of the bins of boxes ROIs ``float32[n, 5]`` (image, x1, y1, x2, y2).

    X is ``float32[N, C, H, W]``.  ROIs of another type are left to the host.
    """
    (batch, channels, height, width), [rois] = ctx.inputs["X"][0].sizes, ctx.inputs["ROIs"]
    shape = ctx.outputs["Out"][0].sizes
    if (
        rois.dtype is not DType.FLOAT32
        or 0 in (*shape, batch, height, width)
        or max(height, width) > _LARGEST
    ):
        return None
    boxes, _, rows, columns = shape
    pool = _roi_pool.bind(
        FREE, FREE, FREE, ctx.scratch_per_thread(width + 2 * (rows + columns)),
        batch, channels, height, width, rows, columns,
        ctx.attrs.real("spatial_scale"),
        count=boxes, cost=PER_ELEMENT * boxes * channels * (height * width + rows * columns),
    )  # fmt: skip

    def run(X: Array, ROIs: Array, *, out: Array | None = None) -> Array:
        if not np.isfinite(ROIs).all():
            raise ValueError("ROIs: expected finite numbers")
        images = ROIs[:, 0]
        if images.min() <= -batch - 1 or images.max() >= batch:
            raise IndexError(f"ROIs: expected images 0 to {batch - 1}, got {images.min()} to {images.max()}")
        result = np.empty(shape, np.float32) if out is None else out
        pool(X, ROIs, result)
        return result

    return run
