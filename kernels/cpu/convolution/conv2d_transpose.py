"""conv2d_transpose on images in NHWC, where the windows do not overlap."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.ir.types import DType, Layout
from lite.kernels.cpu.convolution.convolution import dense_weights
from lite.kernels.cpu.convolution.epilogue import epilogue_of, fused_activation
from lite.kernels.cpu.host import on_host
from lite.kernels.cpu.native.function import FREE, Function
from lite.ops.window import Window, is_channel_last, windows
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel

_spread = Function("transpose.spread")


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    attrs: Any = ctx.attrs
    weight, activation = ctx.constant("Filter"), fused_activation(ctx)
    x, y = ctx.inputs["Input"][0], ctx.outputs["Output"][0]
    if weight is None or activation is None or not (x.is_static and y.is_static):
        return None
    batch, height, width, depth = (int(dim) for dim in x.dims if isinstance(dim, int))
    out_shape = tuple(int(dim) for dim in y.dims if isinstance(dim, int))
    _, down, right, channels = weight.shape
    found = windows(
        (height, width), (down, right), attrs["strides"], attrs["dilations"], attrs["paddings"],
        attrs["padding_algorithm"],
    )  # fmt: skip
    whole = (batch, height * down, width * right, channels)
    if attrs["groups"] != 1 or is_channel_last(attrs["data_format"]) or out_shape != whole:
        return None
    if not all(_is_spread(window) for window in found):
        return None
    from lite.kernels.cpu.tile_sizes import LANES, columns_for

    elements = right * channels
    columns = columns_for(elements)
    lanes = columns * LANES
    epilogue = epilogue_of(ctx, activation, channels, 1, -(-channels // LANES) * LANES)
    if epilogue is None:
        return None
    room = -(-elements // lanes) * lanes
    vectors = {"bias": epilogue.bias, "scale": epilogue.scale, "shift": epilogue.shift}
    bias, scale, shift = (
        ctx.shared(f"{name} {columns}", functools.partial(_repeated, vector, channels, right, room))
        for name, vector in vectors.items()
    )
    # ``[C, kh, kw, O]`` as kh filters ``[kw · O, 1, 1, C]``.
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

    def run(
        Input: Array,
        Filter: Array,
        Bias: Array | None,
        OutputSize: Array | None,
        PostScale: Array | None,
        PostShift: Array | None,
        *,
        out: Array | None = None,
    ) -> Array:
        result = np.empty(out_shape, np.float32) if out is None else out
        compute(Input, result)
        return result

    return run


def _is_spread(window: Window) -> bool:
    return window.kernel == window.stride and window.dilation == 1 and window.before == window.after == 0


def _repeated(vector: Array, channels: int, times: int, room: int) -> Array:
    """A vector of all channels `times` times one behind the other, padded; none where there is none."""
    if not vector.size:
        return vector
    padded = np.zeros(room, np.float32)
    padded[: channels * times] = np.tile(vector[:channels], times)
    return padded


def _conv2d_transpose(
    Input: Array,
    Filter: Array,
    Bias: Array | None,
    OutputSize: Array | None,
    PostScale: Array | None,
    PostShift: Array | None,
    *,
    strides: Sequence[int],
    paddings: Sequence[int],
    padding_algorithm: str,
    dilations: Sequence[int],
    groups: int,
    data_format: str,
    activation: str,
    activation_params: Sequence[float],
    fuse_relu: bool,
    fuse_activation: str,
    output_size: Sequence[int],
    output_padding: Sequence[int],
    out: Array | None = None,
) -> Array:
    """Gradient of a convolution by its input ``[N, H, W, C]``; the filter is ``[C, kh, kw, O/groups]``."""
    inputs = {
        "Input": Input,
        "Filter": Filter.transpose(0, 3, 1, 2),
        "Bias": Bias,
        "OutputSize": OutputSize,
        "PostScale": PostScale,
        "PostShift": PostShift,
    }
    attrs = {
        "strides": strides,
        "paddings": paddings,
        "padding_algorithm": padding_algorithm,
        "dilations": dilations,
        "groups": groups,
        "data_format": "NHWC",
        "activation": activation,
        "activation_params": activation_params,
        "fuse_relu": fuse_relu,
        "fuse_activation": fuse_activation,
        "output_size": output_size,
        "output_padding": output_padding,
    }
    return on_host("conv2d_transpose", inputs, attrs, out)


for _op in ("conv2d_transpose", "depthwise_conv2d_transpose"):
    kernel(_op, "cpu", dtype=DType.FLOAT32, layout=Layout.NHWC, prepare=_prepare, packs=("Filter",))(
        _conv2d_transpose
    )
