"""conv2d_transpose on images in NHWC, of one group and without dilation."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType, Layout
from lite.kernels.cpu.activation.activation import Activation, activation_of
from lite.kernels.cpu.convolution.convolution import dense_weights
from lite.kernels.cpu.convolution.epilogue import VECTORS, epilogue_of, has_constant_vectors
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.job import Job
from lite.ops.image_attributes import ConvAttributes
from lite.ops.window import Window
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches

_spread, _overlap = Function("conv_transpose.spread"), Function("conv_transpose.overlap")

_LEAST_OUTPUTS = 8
"""The fewest outputs of overlapping windows for any depth; with fewer, lanes of a vector are empty."""

_MOST_DEPTH = 16
"""The most inputs for each of fewer outputs; with more, the host's products take less than empty lanes."""


def conv2d_transpose(ctx: PrepareContext) -> KernelFunction | None:
    """Transposed convolution of ``float32[N, H, W, C]`` with a constant filter ``[C, kh, kw, O]``."""
    attrs, weight = ctx.attrs.read(ConvAttributes), ctx.constant("Filter")
    activation = activation_of(attrs.activation, attrs.activation_params)
    if weight is None or activation is None or not has_constant_vectors(ctx) or attrs.groups != 1:
        return None
    batch, height, width, depth = ctx.inputs["Input"][0].sizes
    out_shape = ctx.outputs["Output"][0].sizes
    _, down, right, channels = weight.shape
    windows = attrs.windows((height, width), (down, right))
    fills = out_shape == (batch, height * down, width * right, channels)
    if any(window.dilation != 1 for window in windows) or 0 in (*out_shape, height, width):
        return None
    if fills and all(_tiles_output(window) for window in windows):
        compute = _blocks(ctx, activation, weight)
    elif channels >= _LEAST_OUTPUTS or depth <= _MOST_DEPTH * channels:
        compute = _windows(ctx, activation, weight, windows)
    else:
        return None

    def run(Input: Array, *, out: Array | None = None) -> Array:
        result = np.empty(out_shape, np.float32) if out is None else out
        compute(Input, result)
        return result

    return only_launches(run)


def _blocks(ctx: PrepareContext, activation: Activation, weight: Array) -> Job:
    """The job for windows that do not overlap."""
    from lite.kernels.cpu.tile_sizes import LANES, columns_for

    batch, height, width, depth = ctx.inputs["Input"][0].sizes
    _, down, right, channels = weight.shape
    elements = right * channels
    columns = columns_for(elements)
    lanes = columns * LANES
    epilogue = epilogue_of(ctx, activation, channels, 1, -(-channels // LANES) * LANES)
    padded = -(-elements // lanes) * lanes
    vectors = {"bias": epilogue.bias, "scale": epilogue.scale, "shift": epilogue.shift}
    bias, scale, shift = (
        ctx.shared(f"{name} {columns}", functools.partial(_repeated, vector, channels, right, padded))
        for name, vector in vectors.items()
    )
    # The filter ``[C, kh, kw, O]`` becomes kh filters ``[kw · O, 1, 1, C]``.
    w = ctx.shared(
        f"dense {columns}",
        lambda: dense_weights(
            weight.transpose(1, 2, 3, 0).reshape(down * elements, 1, 1, depth), down, lanes
        ),
    )
    return _spread.bind(
        FREE, w, bias, None, scale, shift, epilogue.parameters, FREE, epilogue.flags, columns, down, depth,
        elements, width, count=batch * height, cost=batch * height * width * depth * down * elements,
    )  # fmt: skip


def _windows(ctx: PrepareContext, activation: Activation, weight: Array, windows: Sequence[Window]) -> Job:
    """The job for any windows: a convolution for each remainder of the output's positions by the strides."""
    from lite.kernels.cpu.tile_sizes import LANES, ROWS, columns_for

    batch, height, width, depth = ctx.inputs["Input"][0].sizes
    _, out_height, out_width, channels = ctx.outputs["Output"][0].sizes
    down, right = windows
    columns = columns_for(channels)
    lanes = columns * LANES
    padded = -(-channels // lanes) * lanes
    epilogue = epilogue_of(ctx, activation, channels, 1, padded)

    def pack() -> Array:
        taps = weight.transpose(3, 1, 2, 0)
        parts = [
            taps[:, i :: down.stride, j :: right.stride][:, ::-1, ::-1]
            for i in range(down.stride)
            for j in range(right.stride)
        ]
        return np.concatenate([dense_weights(np.ascontiguousarray(part), 1, lanes) for part in parts])

    sizes = [
        len(range(i, down.kernel, down.stride)) * len(range(j, right.kernel, right.stride))
        for i in range(down.stride)
        for j in range(right.stride)
    ]
    starts = np.cumsum([0, *sizes[:-1]], dtype=np.int64) * padded * depth
    geometry = np.array(
        [
            *(height, width, depth, out_height, out_width, channels, down.kernel, right.kernel),
            *(down.stride, right.stride, 1, 1, down.before, right.before, batch),
        ],
        np.int64,
    )
    across = -(-right.kernel // right.stride)
    patch = -(-down.kernel // down.stride) * (ROWS[columns] - 1 + across) * depth
    return _overlap.bind(
        FREE, ctx.shared(f"remainders {columns}", pack), epilogue.bias, None, epilogue.scale, epilogue.shift,
        epilogue.parameters, geometry, starts, ctx.scratch_per_thread(patch), FREE, epilogue.flags, columns,
        count=batch * out_height, cost=batch * height * width * weight.size,
    )  # fmt: skip


def _tiles_output(window: Window) -> bool:
    return window.kernel == window.stride and window.dilation == 1 and window.before == window.after == 0


def _repeated(vector: Array, channels: int, times: int, padded: int) -> Array:
    """The vector's `channels` repeated `times` times, ``float32[padded]``; an empty vector stays empty."""
    if not vector.size:
        return vector
    result = np.zeros(padded, np.float32)
    result[: channels * times] = np.tile(vector[:channels], times)
    return result


kernel(
    "conv2d_transpose",
    "cpu",
    dtype=DType.FLOAT32,
    layout=Layout.NHWC,
    slots=("Input",),
    packs=("Filter", *VECTORS),
    fallback="host",
)(conv2d_transpose)
