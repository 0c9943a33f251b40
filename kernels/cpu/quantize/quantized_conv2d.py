"""quantized_conv2d on images in NHWC: chooses an algorithm and packs the filter for it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import DType, Layout
from lite.kernels.cpu.activation.activation import activation_of
from lite.kernels.cpu.codes import POST_AFFINE, WIDE
from lite.kernels.cpu.convolution.convolution import Sizes, depthwise_weights
from lite.kernels.cpu.convolution.epilogue import (
    VECTORS,
    Epilogue,
    Results,
    epilogue_of,
    has_constant_vectors,
)
from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.native.job import FREE, Job
from lite.kernels.cpu.quantize import winograd
from lite.kernels.cpu.quantize.packing import block_rows, is_wide, packed_vectors, packed_weights
from lite.ops.image_attributes import QuantizingAttributes
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches

_multiply = Function("quantized.multiply")
_convolve = Function("quantized.convolve")
_depthwise = Function("quantized.depthwise")


@dataclass(frozen=True)
class _Attributes(QuantizingAttributes):
    zero_point: int


_Bind = Callable[[Epilogue], Job]


def _dense(
    ctx: PrepareContext, sizes: Sizes, attrs: _Attributes, weight: Array, scale: Array
) -> tuple[int, _Bind]:
    from lite.kernels.cpu.tile_sizes import INTEGER_ROWS, LANES, columns_for, shared_range

    columns = columns_for(sizes.out_channels)
    lanes = columns * LANES
    padded = -(-sizes.out_channels // lanes) * lanes
    flat = weight.reshape(sizes.out_channels, -1)
    bias = ctx.constant("Bias")
    vectors = ctx.shared(
        f"vectors {padded}", lambda: packed_vectors(flat, attrs.zero_point, scale, bias, padded)
    )
    if winograd.is_faster(sizes, weight):

        def by_tiles(e: Epilogue) -> Job:
            end = Results.of(e.flags, attrs.out_scale, attrs.out_zero_point, ctx.constant("Table"))
            return winograd.bind(ctx, sizes, e, end, weight, vectors, attrs.zero_point)

        return lanes, by_tiles
    w = ctx.shared(f"bytes {columns}", lambda: packed_weights(flat, lanes))
    pixels = sizes.batch * sizes.out_height * sizes.out_width
    depth, rows = -(-flat.shape[1] // 4), INTEGER_ROWS[columns]
    is_pointwise = sizes.is_pointwise and sizes.channels % 4 == 0
    wide = WIDE if is_wide(flat) else 0
    row_bytes = (0 if is_pointwise else 4 * depth) + (8 * depth if wide else 0)
    block = block_rows(max(row_bytes, 4 * depth), rows, pixels)
    panel = 2 * lanes * depth if wide else 0
    scratch = ctx.scratch_per_thread(block * row_bytes // 4 + panel)

    def bind(e: Epilogue) -> Job:
        end = Results.of(e.flags, attrs.out_scale, attrs.out_zero_point, ctx.constant("Table"))
        if is_pointwise:
            panels = w.size // (4 * depth * lanes)
            all_rows, count, grain = shared_range(pixels, rows, panels, w.size // 4)
            if e.flags & POST_AFFINE:
                all_rows, count, grain = 0, pixels, rows
            return _multiply.bind(
                FREE, w, vectors, e.residual, e.scale, e.shift, e.parameters, scratch, end.out, end.codes,
                end.table, end.flags | wide, columns, block, all_rows, depth, sizes.out_channels, end.scale,
                end.zero, count=count, cost=sizes.multiplications / 4, grain=grain,
            )  # fmt: skip
        return _convolve.bind(
            FREE, w, vectors, e.residual, e.scale, e.shift, e.parameters, sizes.geometry(), scratch, end.out,
            end.codes, end.table, end.flags | wide, columns, block, attrs.zero_point, end.scale, end.zero,
            count=pixels, cost=sizes.multiplications / 4, grain=rows,
        )  # fmt: skip

    return lanes, bind


def _per_channel(
    ctx: PrepareContext, sizes: Sizes, attrs: _Attributes, weight: Array, scale: Array
) -> tuple[int, _Bind]:
    from lite.kernels.cpu.tile_sizes import DEPTHWISE_ROWS, LANES

    def scaled() -> Array:
        return depthwise_weights(weight.astype(np.float32) * scale.reshape(-1, 1, 1, 1), LANES)

    w = ctx.shared("depthwise", scaled)
    scratch = ctx.scratch_per_thread(-(-sizes.patch(DEPTHWISE_ROWS) // 4))

    def bind(e: Epilogue) -> Job:
        end = Results.of(e.flags, attrs.out_scale, attrs.out_zero_point, ctx.constant("Table"))
        return _depthwise.bind(
            FREE, w, e.bias, e.residual, e.scale, e.shift, e.parameters, sizes.geometry(), scratch, end.out,
            end.codes, end.table, end.flags, attrs.zero_point, end.scale, end.zero,
            count=sizes.batch * sizes.out_height, cost=sizes.multiplications,
        )  # fmt: skip

    return LANES, bind


@kernel(
    "quantized_conv2d",
    "cpu",
    dtype=DType.FLOAT32,
    layout=Layout.NHWC,
    slots=("Input", "ResidualData"),
    packs=("Filter", "Scale", "Table", *VECTORS),
    fallback="host",
)
def quantized_conv2d(ctx: PrepareContext) -> KernelFunction | None:
    """Cross-correlation of ``uint8[N, H, W, C]`` with a constant filter ``int8[O, kh, kw, C/groups]``."""
    attrs, weight, scale = ctx.attrs.read(_Attributes), ctx.constant("Filter"), ctx.constant("Scale")
    activation = activation_of(attrs.activation, attrs.activation_params)
    if weight is None or scale is None or activation is None or not has_constant_vectors(ctx):
        return None
    sizes = Sizes.of(ctx, attrs)
    if not sizes.is_depthwise and sizes.groups > 1:
        return None
    if activation.is_post_activation and attrs.out_scale:
        return None
    residual = ctx.inputs.get("ResidualData")
    if residual and residual[0].sizes != sizes.out_shape:
        return None
    scales = np.broadcast_to(scale.reshape(-1), sizes.out_channels)
    algorithm = _per_channel if sizes.is_depthwise else _dense
    lanes, bind = algorithm(ctx, sizes, attrs, weight, scales)
    padded = -(-sizes.out_channels // lanes) * lanes
    compute = bind(epilogue_of(ctx, activation, sizes.out_channels, 1, padded))
    dtype = np.dtype(np.uint8 if attrs.out_scale else np.float32)

    def run(Input: Array, ResidualData: Array | None, *, out: Array | None = None) -> Array:
        y = np.empty(sizes.out_shape, dtype) if out is None else out
        compute(*([Input] if ResidualData is None else [Input, ResidualData]), y)
        return y

    return only_launches(run)
