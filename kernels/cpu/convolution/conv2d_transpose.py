"""conv2d_transpose on images in NHWC, for windows that do not overlap."""

from __future__ import annotations

import functools

import numpy as np

from lite.ir.types import DType, Layout
from lite.kernels.cpu.activation.activation import activation_of
from lite.kernels.cpu.convolution.convolution import dense_weights
from lite.kernels.cpu.convolution.epilogue import VECTORS, epilogue_of, has_constant_vectors
from lite.kernels.cpu.native.function import FREE, Function
from lite.ops.image_attributes import ConvAttributes
from lite.ops.window import Window
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches

_spread = Function("conv_transpose.spread")


def conv2d_transpose(ctx: PrepareContext) -> KernelFunction | None:
    """Transposed convolution of ``float32[N, H, W, C]`` with a constant filter ``[C, kh, kw, O]``."""
    attrs, weight = ctx.attrs.read(ConvAttributes), ctx.constant("Filter")
    activation = activation_of(attrs.activation, attrs.activation_params)
    if weight is None or activation is None or not has_constant_vectors(ctx):
        return None
    batch, height, width, depth = ctx.inputs["Input"][0].sizes
    out_shape = ctx.outputs["Output"][0].sizes
    _, down, right, channels = weight.shape
    if attrs.groups != 1 or out_shape != (batch, height * down, width * right, channels):
        return None
    if not all(_tiles_output(window) for window in attrs.windows((height, width), (down, right))):
        return None
    from lite.kernels.cpu.tile_sizes import LANES, columns_for

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

    compute = _spread.bind(
        FREE, w, bias, None, scale, shift, epilogue.parameters, FREE, epilogue.flags, columns, down, depth,
        elements, width, count=batch * height, cost=batch * height * width * depth * down * elements,
    )  # fmt: skip

    def run(Input: Array, *, out: Array | None = None) -> Array:
        result = np.empty(out_shape, np.float32) if out is None else out
        compute(Input, result)
        return result

    return only_launches(run)


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
