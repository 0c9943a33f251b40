"""conv2d on images in NHWC: chooses an algorithm and packs the filter for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from lite.ir.types import DType, Layout
from lite.kernels.cpu.activation.activation import activation_of
from lite.kernels.cpu.codes import AFFINE, POST_AFFINE, RESIDUAL
from lite.kernels.cpu.convolution import winograd
from lite.kernels.cpu.convolution.computed_filter import packing
from lite.kernels.cpu.convolution.convolution import Sizes, dense_weights, depthwise_weights
from lite.kernels.cpu.convolution.epilogue import (
    VECTORS,
    Choice,
    Epilogue,
    Results,
    epilogue_of,
    has_constant_vectors,
)
from lite.kernels.cpu.machine import cache_elements
from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.native.job import FREE, Free, Job
from lite.ops.image_attributes import QuantizingAttributes
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import STRICT

_multiply = Function("matmul.multiply")
_convolve = Function("convolve.convolve")
_convolve_columns = Function("convolve.convolve_columns")
_convolve_taps = Function("convolve.convolve_taps")
_depthwise_tiles = Function("depthwise.depthwise")
_filter_lines = Function("lines.filter_lines")

_MOST_INSIDE = 0.8
"""The part of the taps inside the image up to which a convolution is computed tap by tap."""

_BY_CHANNEL = RESIDUAL | AFFINE | POST_AFFINE
"""The flags of an epilogue that depends on the channel or the pixel."""

_LEAST_OUTPUTS = 8
"""The fewest outputs of a group; with fewer, most lanes of a vector are empty and the host is faster."""


def _choose(ctx: PrepareContext, sizes: Sizes, weight: Array | None) -> Choice:
    """The fastest algorithm; a filter that is not constant is not transformed."""
    if weight is not None and sizes.is_depthwise and _is_narrow(sizes):
        return _lines(ctx, sizes, weight)
    if sizes.is_depthwise:
        return _depthwise(ctx, sizes, weight)
    if sizes.is_pointwise:
        return _pointwise(ctx, sizes, weight)
    if weight is not None and ctx.precision != STRICT and winograd.is_faster(sizes):
        return winograd.choose(ctx, sizes, weight)
    if sizes.groups == 1 and sizes.inside <= _MOST_INSIDE and sizes.whole_tap is not None:
        return _taps(ctx, sizes, weight)
    return _dense(ctx, sizes, weight)


def _packed(
    ctx: PrepareContext, weight: Array | None, name: str, pack: Callable[[Array], Array]
) -> Array | Free:
    """A constant filter as `pack` makes it; else the free argument that `packing` fills."""
    return FREE if weight is None else ctx.shared(name, lambda: pack(weight))


def _pointwise(ctx: PrepareContext, sizes: Sizes, weight: Array | None) -> Choice:
    from lite.kernels.cpu.tile_sizes import LANES, ROWS, columns_for, shared_range

    columns = columns_for(sizes.out_channels)
    lanes = columns * LANES
    w = _packed(ctx, weight, f"dense {columns}", lambda array: dense_weights(array, 1, lanes))
    pixels = sizes.batch * sizes.height * sizes.width
    panels = -(-sizes.out_channels // lanes)

    def bind(e: Epilogue) -> Job:
        weights = panels * lanes * sizes.channels
        rows, count, grain = shared_range(pixels, ROWS[columns], panels, weights)
        if e.flags & POST_AFFINE:
            rows, count, grain = 0, pixels, ROWS[columns]
        return _multiply.bind(
            FREE, w, e.bias, e.residual, e.scale, e.shift, e.parameters, FREE, e.flags, columns, rows,
            sizes.channels, sizes.out_channels, count=count, cost=sizes.multiplications, grain=grain,
        )  # fmt: skip

    return lanes, bind


_WINDOW_BLOCK = 64 * 1024
"""Elements of a block of windows that are copied whole: half of a second-level cache."""

_MOST_DEPTH = 1024
"""Blocks of windows with more elements than this may be larger than `_WINDOW_BLOCK`."""


def _dense(ctx: PrepareContext, sizes: Sizes, weight: Array | None) -> Choice:
    from lite.kernels.cpu.tile_sizes import DEPTHS, LANES, ROW_BLOCK, ROWS, columns_for

    columns = columns_for(sizes.out_channels // sizes.groups)
    rows, groups, lanes = ROWS[columns], sizes.groups, columns * LANES
    w = _packed(ctx, weight, f"dense {columns}", lambda array: dense_weights(array, groups, lanes))
    geometry = sizes.geometry()
    computed = -(-sizes.out_width // rows) * rows
    depth = sizes.down.kernel * sizes.right.kernel * sizes.channels
    pixels = sizes.batch * sizes.out_height * sizes.out_width
    is_large = depth * sizes.out_channels > cache_elements() // 2
    is_copied = (
        groups == 1 and sizes.out_channels >= 4 * LANES and (is_large or computed > 1.1 * sizes.out_width)
    )
    part = -(-depth // -(-depth // DEPTHS[columns])) if is_large else depth
    most = ROW_BLOCK // part if is_large else _WINDOW_BLOCK // min(depth, _MOST_DEPTH)
    block = min(max(most // rows, 1), -(-pixels // rows)) * rows
    scratch = ctx.scratch_per_thread(block * part if is_copied else sizes.patch(rows))
    strips = sizes.strips(rows)

    def bind(e: Epilogue) -> Job:
        if is_copied:
            return _convolve_columns.bind(
                FREE, w, e.bias, e.residual, e.scale, e.shift, e.parameters, geometry, scratch, FREE, e.flags,
                columns, block, part, count=pixels, cost=sizes.multiplications, grain=rows,
            )  # fmt: skip
        return _convolve.bind(
            FREE, w, e.bias, e.residual, e.scale, e.shift, e.parameters, geometry, scratch, FREE, e.flags,
            columns, groups, strips, count=sizes.batch * sizes.out_height * strips,
            cost=sizes.multiplications,
        )  # fmt: skip

    return lanes, bind


def _taps(ctx: PrepareContext, sizes: Sizes, weight: Array | None) -> Choice:
    from lite.kernels.cpu.tile_sizes import LANES, columns_for

    columns, whole = columns_for(sizes.out_channels), sizes.whole_tap
    w = _packed(ctx, weight, f"dense {columns}", lambda array: dense_weights(array, 1, columns * LANES))

    def bind(e: Epilogue) -> Job:
        return _convolve_taps.bind(
            FREE, w, e.bias, e.residual, e.scale, e.shift, e.parameters, sizes.geometry(), FREE, e.flags,
            columns, whole, count=sizes.batch * sizes.out_height,
            cost=int(sizes.multiplications * sizes.inside),
        )  # fmt: skip

    return columns * LANES, bind


def _depthwise(ctx: PrepareContext, sizes: Sizes, weight: Array | None) -> Choice:
    from lite.kernels.cpu.tile_sizes import DEPTHWISE_ROWS, LANES

    w = _packed(ctx, weight, "depthwise", lambda array: depthwise_weights(array, LANES))
    scratch = ctx.scratch_per_thread(sizes.patch(DEPTHWISE_ROWS))
    strips = sizes.strips(DEPTHWISE_ROWS)
    out_scale, out_zero = ctx.attrs.real("out_scale"), ctx.attrs.integer("out_zero_point")

    def bind(e: Epilogue) -> Job:
        end = Results.of(e.flags, out_scale, out_zero)
        return _depthwise_tiles.bind(
            FREE, w, e.bias, e.residual, e.scale, e.shift, e.parameters, sizes.geometry(), scratch, end.out,
            end.codes, end.flags, strips, end.scale, end.zero,
            count=sizes.batch * sizes.out_height * strips, cost=sizes.multiplications,
        )  # fmt: skip

    return LANES, bind


def _is_narrow(sizes: Sizes) -> bool:
    """Whether most lanes of vectors of channels are empty, and rows have some vectors."""
    from lite.kernels.cpu.tile_sizes import LANES

    elements = sizes.channels * sizes.out_width
    return 2 * sizes.channels <= LANES and sizes.right.stride == 1 and elements >= 2 * LANES


def _lines(ctx: PrepareContext, sizes: Sizes, weight: Array) -> Choice:
    from lite.kernels.cpu.lengths.products import LINE_VECTORS
    from lite.kernels.cpu.tile_sizes import LANES

    lanes, bind_tiles = _depthwise(ctx, sizes, weight)
    bias = ctx.constant("Bias")
    period = np.arange(sizes.channels + LANES) % sizes.channels

    def bind(e: Epilogue) -> Callable[..., None]:
        if e.flags & _BY_CHANNEL or ctx.attrs.real("out_scale"):
            return bind_tiles(e)
        w = ctx.shared("lines", lambda: weight[..., 0].transpose(1, 2, 0)[..., period].reshape(-1))
        vector = np.zeros(sizes.channels, np.float32) if bias is None else bias.reshape(-1)
        patch = ctx.scratch_per_thread(sizes.patch(sizes.out_width) + LINE_VECTORS * LANES)
        return _filter_lines.bind(
            FREE, w, np.broadcast_to(vector, (sizes.channels,))[period], e.parameters, sizes.geometry(),
            patch, FREE, e.flags, count=sizes.batch * sizes.out_height, cost=sizes.multiplications,
        )  # fmt: skip

    return lanes, bind


def _with_merged_groups(
    ctx: PrepareContext, sizes: Sizes, weight: Array
) -> tuple[PrepareContext, Sizes, Array]:
    """The convolution with several groups in one, whose outputs fill a vector, and zeros between the groups.

    A vector of few outputs costs as much as a whole one.  In an image with infinite numbers, the zeros make
    NaN of them: the strict precision does without.
    """
    from lite.kernels.cpu.tile_sizes import LANES

    outputs, groups = sizes.out_channels // sizes.groups, sizes.groups
    count = max(n for n in range(1, groups + 1) if groups % n == 0 and (n == 1 or n * outputs <= LANES))
    if count == 1:
        return ctx, sizes, weight
    depth = weight.shape[3]
    merged = np.zeros((*weight.shape[:3], count * depth), np.float32)
    for n in range(count):
        rows = np.arange(sizes.out_channels) // outputs % count == n
        merged[rows, :, :, n * depth : (n + 1) * depth] = weight[rows]
    return _sharing(ctx, f"{count} merged groups"), replace(sizes, groups=groups // count), merged


def _sharing(ctx: PrepareContext, what: str) -> PrepareContext:
    """A context whose shared arrays are those of a changed filter."""
    shared = ctx.shared
    return replace(ctx, shared=lambda name, make: shared(f"{name}, {what}", make))


def conv2d(ctx: PrepareContext) -> KernelFunction | None:
    """Cross-correlation of ``float32[N, H, W, C]`` with a filter ``[O, kh, kw, C/groups]``.

    Depthwise results may be bytes.  Constant 3×3 filters with stride 1 use Winograd's algorithm (Lavin and
    Gray 2016) unless the precision is strict.  A computed filter is packed in each run.
    """
    attrs, weight = ctx.attrs.read(QuantizingAttributes), ctx.constant("Filter")
    activation = activation_of(attrs.activation, attrs.activation_params)
    if activation is None or not has_constant_vectors(ctx):
        return None
    sizes = Sizes.of(ctx, attrs)
    if weight is not None and sizes.groups > 1 and not sizes.is_depthwise and ctx.precision != STRICT:
        ctx, sizes, weight = _with_merged_groups(ctx, sizes, weight)
    if not sizes.is_depthwise and sizes.groups > 1 and sizes.out_channels // sizes.groups < _LEAST_OUTPUTS:
        return None
    residual = ctx.inputs.get("ResidualData")
    if residual and residual[0].sizes != sizes.out_shape:
        return None
    if attrs.out_scale and (not sizes.is_depthwise or activation.is_post_activation):
        return None
    read, kept = sizes.without_idle_taps()
    if weight is not None and read is not sizes:
        ctx = _sharing(ctx, "taps" + "".join(f" {taps.start}:{taps.stop}" for taps in kept))
        weight, sizes = weight[:, kept[0], kept[1]], read
    lanes, bind = _choose(ctx, sizes, weight)
    pack = packing(ctx, sizes, lanes) if weight is None else None
    groups = 1 if sizes.is_depthwise else sizes.groups
    padded = -(-(sizes.out_channels // groups) // lanes) * lanes
    compute = bind(epilogue_of(ctx, activation, sizes.out_channels, groups, padded))

    dtype = ctx.outputs["Output"][0].dtype.numpy

    def run(Input: Array, Filter: Array, ResidualData: Array | None, *, out: Array | None = None) -> Array:
        y = np.empty(sizes.out_shape, dtype) if out is None else out
        weights = [] if pack is None else [pack(Filter)]
        compute(Input, *weights, *([] if ResidualData is None else [ResidualData]), y)
        return y

    return only_launches(run)


kernel(
    "conv2d",
    "cpu",
    dtype=DType.FLOAT32,
    layout=Layout.NHWC,
    slots=("Input", "Filter", "ResidualData"),
    packs=("Filter", *VECTORS),
    fallback="host",
)(conv2d)
