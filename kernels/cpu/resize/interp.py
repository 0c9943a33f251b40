"""nearest_interp_v2 and bilinear_interp_v2 on images in NHWC."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from lite.ir.types import DType, Layout
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.resize.nearest import take_along_axes
from lite.ops.resize_sizes import factors
from lite.ops.window import is_channel_last
from lite.plugin.kernel import Array, Attributes, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_take, _blend = Function("resize.take"), Function("resize.blend")

_AXES = 2


_Taps = Callable[[Attributes, Sequence[int], Sequence[int], Sequence[np.float32]], list[Array]]
"""From attributes, sizes of the input and of the output, and steps to arguments of a compiled function."""


def _steps(ctx: PrepareContext, sizes: Sequence[int], outs: Sequence[int]) -> list[np.float32]:
    """The distance in the input, in pixels, between neighbouring pixels of the output, along each axis."""
    attrs = ctx.attrs
    scales: Sequence[float] = [] if ctx.inputs.get("SizeTensor") else factors(attrs.reals("scale"), _AXES)
    if attrs.flag("ratio_from_sizes"):
        scales = []
    steps = []
    for n, (size, out) in enumerate(zip(sizes, outs, strict=True)):
        if out <= 1:
            steps.append(np.float32(size if attrs.flag("ratio_for_one") else 0))
        elif attrs.flag("align_corners"):
            steps.append(np.float32(size - 1) / np.float32(out - 1))
        elif scales:
            steps.append(np.float32(1 / np.float32(scales[n])))
        else:
            steps.append(np.float32(size) / np.float32(out))
    return steps


def _resize(ctx: PrepareContext, function: Function, taps: _Taps) -> KernelFunction | None:
    if ctx.inputs.get("Scale"):
        return None
    batch, *sizes, channels = ctx.inputs["X"][0].sizes
    shape = ctx.outputs["Out"][0].sizes
    outs = shape[1:3]
    if 0 in (*shape, *sizes):
        return None
    compute = function.bind(
        FREE, FREE, *taps(ctx.attrs, sizes, outs, _steps(ctx, sizes, outs)),
        np.array([*sizes, channels, *outs]),
        count=batch * outs[0], cost=PER_ELEMENT * math.prod(shape),
    )  # fmt: skip

    def run(X: Array, *, out: Array | None = None) -> Array:
        resized = np.empty(shape, np.float32) if out is None else out
        compute(X, resized)
        return resized

    return only_launches(run)


def _nearest(
    attrs: Attributes, sizes: Sequence[int], outs: Sequence[int], steps: Sequence[np.float32]
) -> list[Array]:
    """The row or column of the input for each one of the output, along each axis."""
    half = np.float32(0.5 if attrs.flag("align_corners") else 0)
    return [
        np.clip((step * np.arange(out, dtype=np.float32) + half).astype(np.int64), 0, size - 1)
        for step, out, size in zip(steps, outs, sizes, strict=True)
    ]


def nearest_indices(ctx: PrepareContext) -> list[Array] | None:
    """The rows and columns that nearest_interp_v2 takes in NHWC; None if they depend on the run."""
    _, *sizes, _ = ctx.inputs["X"][0].sizes
    shape = ctx.outputs["Out"][0].sizes
    if ctx.inputs.get("Scale") or 0 in (*shape, *sizes):
        return None
    return _nearest(ctx.attrs, sizes, shape[1:3], _steps(ctx, sizes, shape[1:3]))


def _bilinear(
    attrs: Attributes, sizes: Sequence[int], outs: Sequence[int], steps: Sequence[np.float32]
) -> list[Array]:
    """Along each axis, for each row or column: the two of the input, and the weight of the second."""
    is_centred = attrs.integer("align_mode") == 0 and not attrs.flag("align_corners")
    taps: list[Array] = []
    for step, out, size in zip(steps, outs, sizes, strict=True):
        index = np.arange(out, dtype=np.float32)
        half = np.float32(0.5)
        positions = step * (index + half) - half if is_centred else step * index
        positions = np.maximum(positions, np.float32(0))
        low = np.minimum(positions.astype(np.int64), size - 1)
        taps += [low, np.minimum(low + 1, size - 1), positions - low.astype(np.float32)]
    return taps


@kernel("nearest_interp_v2", "cpu", dtype=DType.FLOAT32, layout=Layout.NHWC, slots=("X",), fallback="host")
def nearest_interp_v2(ctx: PrepareContext) -> KernelFunction | None:
    """Resize images ``float32[N, H, W, C]``: each pixel is the nearest one of the input."""
    return _resize(ctx, _take, _nearest)


@kernel("bilinear_interp_v2", "cpu", dtype=DType.FLOAT32, layout=Layout.NHWC, slots=("X",), fallback="host")
def bilinear_interp_v2(ctx: PrepareContext) -> KernelFunction | None:
    """Resize images ``float32[N, H, W, C]``: each pixel is a weighted mean of four of the input."""
    return _resize(ctx, _blend, _bilinear)


@kernel("nearest_interp_v2", "cpu", dtype=DType.FLOAT32, layout=Layout.NCHW, slots=("X",), fallback="host")
def nearest_interp_v2_channels_first(ctx: PrepareContext) -> KernelFunction | None:
    """Resize images ``float32[N, C, H, W]``: each pixel is the nearest one; None for an op of NHWC."""
    shape, out_shape = ctx.inputs["X"][0].sizes, ctx.outputs["Out"][0].sizes
    is_last = is_channel_last(ctx.attrs.text("data_layout"))
    if is_last or ctx.inputs.get("Scale") or 0 in (*shape, *out_shape):
        return None
    sizes, outs = shape[2:], out_shape[2:]
    taken = [None, None, *_nearest(ctx.attrs, sizes, outs, _steps(ctx, sizes, outs))]
    return take_along_axes(ctx, shape, taken)
