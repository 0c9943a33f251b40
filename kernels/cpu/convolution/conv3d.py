"""conv3d with a constant filter, on volumes that are padded and transposed to channels last."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.arrays import padded_vector
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.job import Job
from lite.ops.image_attributes import FilterAttributes
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_pad_volumes = Function("volume.pad_volumes")
_convolve_volumes = Function("volume.convolve_volumes")
_convolve_channels = Function("volume.convolve_channels")
_channels_first = Function("volume.channels_first")

_NO_ACTIVATION = np.array([1, 0, -np.inf, np.inf, 0], np.float32)


@kernel("conv3d", "cpu", dtype=DType.FLOAT32, slots=("Input",), packs=("Filter", "Bias"), fallback="host")
def conv3d(ctx: PrepareContext) -> KernelFunction | None:
    """Cross-correlation of ``float32[N, C, D, H, W]`` with a constant filter, of one group or depthwise."""
    attrs, weight, bias = ctx.attrs.read(FilterAttributes), ctx.constant("Filter"), ctx.constant("Bias")
    batch, channels, *sizes = ctx.inputs["Input"][0].sizes
    _, out_channels, *outs = shape = ctx.outputs["Output"][0].sizes
    if weight is None or weight.dtype != np.float32 or (bias is None and ctx.inputs.get("Bias")):
        return None
    windows = attrs.windows(sizes, weight.shape[2:])
    is_depthwise = attrs.groups == channels == out_channels
    is_dense = attrs.groups == 1 and windows[2].dilation == 1
    if not math.prod(shape) * math.prod(sizes) * channels or not (is_depthwise or is_dense):
        return None
    padded = [(out - 1) * w.stride + w.extent for out, w in zip(outs, windows, strict=True)]
    geometry = np.array(
        [
            channels, out_channels, *sizes, *padded, *outs, *weight.shape[2:], *(w.stride for w in windows),
            *(w.dilation for w in windows), *(w.before for w in windows),
        ],
        np.int64,
    )  # fmt: skip
    volume = ctx.scratch((batch * math.prod(padded) * channels,))
    result = ctx.scratch((math.prod(shape),))
    lines, pixels = batch * padded[0] * padded[1], outs[1] * outs[2]
    pad = _pad_volumes.bind(FREE, FREE, geometry, count=lines, cost=PER_ELEMENT * math.prod(volume.shape))
    bind = _depthwise if is_depthwise else _dense
    convolve = bind(ctx, weight, bias, geometry, batch * outs[0] * outs[1])
    unpack = _channels_first.bind(
        FREE, FREE, out_channels, outs[0], pixels, count=batch * outs[0],
        cost=PER_ELEMENT * math.prod(shape),
    )  # fmt: skip

    def run(Input: Array, *, out: Array | None = None) -> Array:
        y = np.empty(shape, np.float32) if out is None else out
        pad(Input, volume.array)
        convolve(volume.array, result.array)
        unpack(result.array, y)
        return y

    return only_launches(run)


def _dense(ctx: PrepareContext, weight: Array, bias: Array | None, geometry: Array, lines: int) -> Job:
    from lite.kernels.cpu.tile_sizes import LANES, columns_for

    outputs = len(weight)
    columns = columns_for(outputs)
    lanes = columns * LANES
    padded = -(-outputs // lanes) * lanes

    def pack() -> Array:
        rows = np.zeros((padded, math.prod(weight.shape[1:])), np.float32)
        rows[:outputs] = weight.transpose(0, 2, 3, 4, 1).reshape(outputs, -1)
        return np.ascontiguousarray(rows.reshape(-1, lanes, rows.shape[1]).swapaxes(1, 2)).reshape(-1)

    return _convolve_volumes.bind(
        FREE, ctx.shared(f"dense {columns}", pack), _bias(ctx, bias, outputs, padded), _NO_ACTIVATION,
        geometry, FREE, columns, count=lines, cost=_cost(weight, geometry, lines),
    )  # fmt: skip


def _depthwise(ctx: PrepareContext, weight: Array, bias: Array | None, geometry: Array, lines: int) -> Job:
    from lite.kernels.cpu.lengths.volumes import Geometry
    from lite.kernels.cpu.tile_sizes import LANES

    channels = len(weight)
    padded = -(-channels // LANES) * LANES

    def pack() -> Array:
        taps = np.zeros((math.prod(weight.shape[1:]), padded), np.float32)
        taps[:, :channels] = weight.reshape(channels, -1).T
        return taps.reshape(-1)

    patch = ctx.scratch_per_thread(Geometry.of(geometry).patch)
    return _convolve_channels.bind(
        FREE, ctx.shared("depthwise", pack), _bias(ctx, bias, channels, padded), _NO_ACTIVATION, geometry,
        patch, FREE, None, count=lines, cost=_cost(weight, geometry, lines),
    )  # fmt: skip


def _bias(ctx: PrepareContext, bias: Array | None, channels: int, padded: int) -> Array:
    make: Callable[[], Any] = lambda: padded_vector(bias, channels, 1, padded)  # noqa: E731
    return ctx.shared(f"bias {padded}", make)


def _cost(weight: Array, geometry: Array, lines: int) -> int:
    """The multiplications of `lines` output rows, whose width is in the geometry."""
    return int(weight.size * lines * geometry[10])
