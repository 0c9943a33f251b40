"""quantized_fc with constant weights."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.activation.activation import activation_of
from lite.kernels.cpu.codes import WIDE
from lite.kernels.cpu.convolution.epilogue import Results, has_constant_vectors
from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.native.job import FREE
from lite.kernels.cpu.quantize.packing import block_rows, is_wide, packed_vectors, packed_weights
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_multiply, _pack_rows = Function("quantized.multiply"), Function("integers.pack_rows")


@kernel(
    "quantized_fc",
    "cpu",
    dtype=DType.FLOAT32,
    slots=("Input",),
    packs=("W", "Scale", "Bias", "Table"),
    fallback="host",
)
def quantized_fc(ctx: PrepareContext) -> KernelFunction | None:
    """activation((Input - zero_point) · W · Scale + Bias) of uint8 rows."""
    attrs, weight, scale, bias = ctx.attrs, ctx.constant("W"), ctx.constant("Scale"), ctx.constant("Bias")
    activation = activation_of(attrs.text("activation"), attrs.reals("activation_params"))
    if weight is None or scale is None or activation is None or not has_constant_vectors(ctx):
        return None
    from lite.kernels.cpu.tile_sizes import INTEGER_ROWS, LANES, columns_for, shared_range

    depth, channels = weight.shape
    rows = math.prod(ctx.inputs["Input"][0].sizes[: attrs.integer("in_num_col_dims")])
    out_scale = attrs.real("out_scale")
    if not (rows and depth and channels) or (activation.is_post_activation and out_scale):
        return None
    columns = columns_for(channels)
    lanes = columns * LANES
    padded = -(-channels // lanes) * lanes
    scales = np.broadcast_to(scale.reshape(-1), channels)
    zero = attrs.integer("zero_point")
    w = ctx.shared(f"bytes {columns}", lambda: packed_weights(weight.T, lanes))
    vectors = ctx.shared(f"vectors {padded}", lambda: packed_vectors(weight.T, zero, scales, bias, padded))
    end = Results.of(activation.flags, out_scale, attrs.integer("out_zero_point"), ctx.constant("Table"))
    shape = ctx.outputs["Out"][0].sizes
    wide = WIDE if is_wide(weight.T) else 0
    size = -(-depth // 4) * 4
    block = block_rows(2 * size if wide else size, INTEGER_ROWS[columns], rows)
    scratch = ctx.scratch_per_thread((block + lanes) * size // 2 if wide else 0)
    all_rows, count, grain = shared_range(rows, INTEGER_ROWS[columns], padded // lanes, w.size // 4)

    compute = _multiply.bind(
        FREE, w, vectors, None, None, None, activation.parameters, scratch, end.out, end.codes, end.table,
        end.flags | wide, columns, block, all_rows, size // 4, channels, end.scale, end.zero,
        count=count, cost=rows * depth * channels / 4, grain=grain,
    )  # fmt: skip

    def run(Input: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, end.dtype) if out is None else out
        compute(Input, result)
        return result

    return only_launches(run if size == depth else _with_whole_groups(ctx, run, rows, depth))


def _with_whole_groups(ctx: PrepareContext, run: KernelFunction, rows: int, depth: int) -> KernelFunction:
    """`run` of rows that are filled up to groups of four bytes."""
    filled = ctx.scratch((rows, -(-depth // 4) * 4), np.uint8)
    sums = ctx.scratch((2 * rows,), np.int32)
    fill = _pack_rows.bind(
        FREE, np.zeros(1, np.uint8), FREE, FREE, depth, 0, 1,
        count=rows, cost=PER_ELEMENT * rows * depth // 4,
    )  # fmt: skip

    def run_filled(Input: Array, *, out: Array | None = None) -> Array:
        fill(Input, filled.array, sums.array)
        result: Array = run(filled.array, out=out)
        return result

    return run_filled
