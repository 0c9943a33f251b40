"""conv3d with a constant filter."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import DType
from lite.kernels.cpu.activation.activation import limits
from lite.kernels.cpu.arrays import padded_vector
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.job import Job
from lite.ops import clamp_of, get_schema
from lite.ops.image_attributes import ActivatedAttributes
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_pad_volumes = Function("volume.pad_volumes")
_convolve_volumes = Function("volume.convolve_volumes")
_convolve_channels = Function("volume.convolve_channels")
_multiply_pixels = Function("volume.multiply_pixels")
_channels_first = Function("volume.channels_first")
_convolve_rows = Function("volume_rows.convolve_rows")

_FEW_CHANNELS = 8
"""With fewer channels, putting them last takes longer than the products."""


@dataclass(frozen=True, eq=False)
class _Filters:
    """The constants of a convolution; `limits` are the parameters of an activation that limits numbers."""

    weight: Array
    bias: Array | None
    limits: Array

    @classmethod
    def of(cls, ctx: PrepareContext) -> _Filters | None:
        """Those of an op; None where they are not constant float32, or the activation does more."""
        attrs, weight, bias = (
            ctx.attrs.read(ActivatedAttributes),
            ctx.constant("Filter"),
            ctx.constant("Bias"),
        )
        if weight is None or weight.dtype != np.float32 or (bias is None and ctx.inputs.get("Bias")):
            return None
        if not attrs.activation:
            return cls(weight, bias, limits())
        numbers = get_schema(attrs.activation).from_numbers(attrs.activation_params)
        clamp = clamp_of(attrs.activation, numbers)
        return (
            None if clamp is None or not clamp.is_clip else cls(weight, bias, limits(clamp.low, clamp.high))
        )

    def biases(self, ctx: PrepareContext, padded: int) -> Array:
        """The biases, or zeros, and zeros up to `padded` numbers."""
        make: Callable[[], Any] = lambda: padded_vector(self.bias, len(self.weight), 1, padded)  # noqa: E731
        return ctx.shared(f"bias {padded}", make)

    def with_biases(self, ctx: PrepareContext) -> Array:
        """``[outputs, elements of a window + 1]``, flat, with the biases at the ends of the rows."""

        def pack() -> Array:
            outputs = len(self.weight)
            last = np.zeros(outputs, np.float32) if self.bias is None else self.bias.reshape(-1)
            rows = np.column_stack([self.weight.reshape(outputs, -1), last])
            return np.ascontiguousarray(rows).reshape(-1)

        return ctx.shared("rows", pack)


@kernel("conv3d", "cpu", dtype=DType.FLOAT32, slots=("Input",), packs=("Filter", "Bias"), fallback="host")
def conv3d(ctx: PrepareContext) -> KernelFunction | None:
    """Cross-correlation of ``float32[N, C, D, H, W]`` with a constant filter, of one group or depthwise."""
    attrs, filters = ctx.attrs.read(ActivatedAttributes), _Filters.of(ctx)
    batch, channels, *sizes = ctx.inputs["Input"][0].sizes
    _, out_channels, *outs = shape = ctx.outputs["Output"][0].sizes
    if filters is None:
        return None
    weight = filters.weight
    windows = attrs.windows(sizes, weight.shape[2:])
    is_depthwise = attrs.groups == channels == out_channels
    if not math.prod(shape) * math.prod(sizes) * channels or not (is_depthwise or attrs.groups == 1):
        return None
    padded = [(out - 1) * w.stride + w.extent for out, w in zip(outs, windows, strict=True)]
    geometry = np.array(
        [
            channels, out_channels, *sizes, *padded, *outs, *weight.shape[2:], *(w.stride for w in windows),
            *(w.dilation for w in windows), *(w.before for w in windows),
        ],
        np.int64,
    )  # fmt: skip
    if is_depthwise:
        return only_launches(_run(shape, _depthwise(ctx, filters, geometry, batch)))
    if (
        math.prod(weight.shape[2:]) == 1
        and outs == sizes
        and all(w.stride == 1 and not w.before for w in windows)
    ):
        return only_launches(_run(shape, _pointwise(ctx, filters, batch, math.prod(sizes))))
    if channels < _FEW_CHANNELS or math.prod(weight.shape[2:]) == 1 or windows[2].dilation > 1:
        return only_launches(_run(shape, _rows(ctx, filters, geometry, batch)))
    volume = ctx.scratch((batch * math.prod(padded) * channels,))
    result = ctx.scratch((math.prod(shape),))
    lines, pixels = batch * padded[0] * padded[1], outs[1] * outs[2]
    pad = _pad_volumes.bind(FREE, FREE, geometry, count=lines, cost=PER_ELEMENT * math.prod(volume.shape))
    convolve = _dense(ctx, filters, geometry, batch * outs[0] * outs[1])
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


def _run(shape: Sequence[int], compute: Job) -> KernelFunction:
    def run(Input: Array, *, out: Array | None = None) -> Array:
        y = np.empty(shape, np.float32) if out is None else out
        compute(Input, y)
        return y

    return run


def _dense(ctx: PrepareContext, filters: _Filters, geometry: Array, lines: int) -> Job:
    from lite.kernels.cpu.tile_sizes import LANES, columns_for

    weight, outputs = filters.weight, len(filters.weight)
    columns = columns_for(outputs)
    lanes = columns * LANES
    padded = -(-outputs // lanes) * lanes

    def pack() -> Array:
        rows = np.zeros((padded, math.prod(weight.shape[1:])), np.float32)
        rows[:outputs] = weight.transpose(0, 2, 3, 4, 1).reshape(outputs, -1)
        return np.ascontiguousarray(rows.reshape(-1, lanes, rows.shape[1]).swapaxes(1, 2)).reshape(-1)

    return _convolve_volumes.bind(
        FREE, ctx.shared(f"dense {columns}", pack), filters.biases(ctx, padded), filters.limits,
        geometry, FREE, columns, count=lines, cost=_cost(weight, geometry, lines),
    )  # fmt: skip


def _depthwise(ctx: PrepareContext, filters: _Filters, geometry: Array, batch: int) -> Job:
    from lite.kernels.cpu.lengths.volumes import Geometry

    g, weight, channels = Geometry.of(geometry), filters.weight, len(filters.weight)
    plane = (g.height, g.width)
    if (
        g.kernel_down == g.kernel_right == 1
        and plane == (g.out_height, g.out_width)
        and not (g.above or g.left)
    ):
        # The filter moves along the first axis alone: a plane is one long row.  An axis of one pixel may have
        # any stride.
        row = {"height": 1, "padded_height": 1, "out_height": 1, "down_stride": 1, "right_stride": 1}
        row |= dict.fromkeys(("width", "padded_width", "out_width"), math.prod(plane))
        g = g._replace(**row)
    taps = ctx.shared("depthwise", lambda: np.ascontiguousarray(weight).reshape(-1))
    return _convolve_channels.bind(
        FREE, taps, filters.biases(ctx, channels), filters.limits, np.array(g, np.int64),
        np.array(g.places, np.int64), ctx.scratch_per_thread(g.padded_channel), FREE, count=batch * channels,
        cost=weight.size * batch * g.out_depth * g.out_height * g.out_width,
    )  # fmt: skip


_BLOCK = 1 << 15
"""Elements of the pixels that are multiplied by one row of the filter after the other."""

_MOST_PIXELS = 512
"""The most pixels of a block: the rows of their results should not use up the buffers for addresses."""


def _pointwise(ctx: PrepareContext, filters: _Filters, batch: int, pixels: int) -> Job:
    from lite.kernels.cpu.tile_sizes import LANES, columns_for

    outputs, channels = filters.weight.shape[:2]
    columns = columns_for(pixels)
    lanes = columns * LANES
    most = min(max(_BLOCK // (channels + 1), lanes), _MOST_PIXELS, -(-pixels // lanes) * lanes)
    block = most // lanes * lanes
    return _multiply_pixels.bind(
        FREE, filters.with_biases(ctx), np.zeros(block, np.float32), filters.limits,
        ctx.scratch_per_thread(block * (channels + 1)), FREE, columns, channels, outputs, pixels, block,
        count=batch * -(-pixels // block), cost=filters.weight.size * batch * pixels,
    )  # fmt: skip


def _rows(ctx: PrepareContext, filters: _Filters, geometry: Array, batch: int) -> Job:
    from lite.kernels.cpu.lengths.volumes import Geometry
    from lite.kernels.cpu.machine import cache_elements
    from lite.kernels.cpu.tile_sizes import columns_for

    g = Geometry.of(geometry)
    most = min(cache_elements() // 2 // g.depth_of_rows, _MOST_PIXELS)

    def idle(rows: int) -> float:
        """The part of the lanes of a block that have no output."""
        pixels = rows * g.out_width
        return 1 - pixels / g.block(columns_for(pixels), rows)

    rows = min(range(1, max(min(most // g.out_width, g.out_height), 1) + 1), key=lambda n: (idle(n), -n))
    columns = columns_for(rows * g.out_width)
    return _convolve_rows.bind(
        FREE, filters.with_biases(ctx), np.zeros(g.block(columns, rows), np.float32), filters.limits,
        geometry, ctx.scratch_per_thread(g.panels(columns, rows)), FREE, columns, rows,
        count=batch * g.out_depth * -(-g.out_height // rows),
        cost=filters.weight.size * batch * g.out_depth * g.out_height * g.out_width,
    )  # fmt: skip


def _cost(weight: Array, geometry: Array, lines: int) -> int:
    """The multiplications of `lines` output rows, whose width is in the geometry."""
    return int(weight.size * lines * geometry[10])
