"""fc and mul with constant weights."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.activation.activation import Activation, activation_of
from lite.kernels.cpu.arrays import padded_vector
from lite.kernels.cpu.convolution.convolution import dense_weights
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.job import Job
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches

_multiply = Function("matmul.multiply")


@kernel("fc", "cpu", dtype=DType.FLOAT32, slots=("Input",), packs=("W", "Bias"), fallback="host")
def fc(ctx: PrepareContext) -> KernelFunction | None:
    """activation(Input · W + Bias) of float32, with the first in_num_col_dims axes of Input as rows."""
    attrs, weight, bias = ctx.attrs, ctx.constant("W"), ctx.constant("Bias")
    name = attrs.text("activation")
    activation = activation_of(name, attrs.reals("activation_params"))
    if weight is None or activation is None or attrs.flag("padding_weights"):
        return None
    if weight.dtype != np.float32 or (bias is None and ctx.inputs.get("Bias")):
        return None
    x = ctx.inputs["Input"][0].sizes
    rows = math.prod(x[: attrs.integer("in_num_col_dims")])
    compute = packed_product(ctx, weight, bias, activation, rows)
    if compute is None:
        return None
    shape = ctx.outputs["Out"][0].sizes

    def run(Input: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        compute(Input, result)
        return result

    return only_launches(run)


@kernel("mul", "cpu", dtype=DType.FLOAT32, slots=("X",), packs=("Y",), fallback="host")
def mul(ctx: PrepareContext) -> KernelFunction | None:
    """X · Y of float32 as matrices, whose rows are the first x_num_col_dims axes of X."""
    weight, activation = ctx.constant("Y"), activation_of("", ())
    if weight is None or weight.dtype != np.float32 or weight.ndim != 2 or activation is None:
        return None
    rows = math.prod(ctx.inputs["X"][0].sizes[: ctx.attrs.integer("x_num_col_dims")])
    compute = packed_product(ctx, weight, None, activation, rows)
    if compute is None:
        return None
    shape = ctx.outputs["Out"][0].sizes

    def run(X: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        compute(X, result)
        return result

    return only_launches(run)


def packed_product(
    ctx: PrepareContext, weight: Array, bias: Array | None, activation: Activation, rows: int
) -> Job | None:
    """The job that multiplies `rows` rows by a matrix; None for a product without elements."""
    from lite.kernels.cpu.tile_sizes import LANES, ROWS, columns_for, shared_range

    depth, channels = weight.shape
    if not (rows and depth and channels):
        return None
    columns = columns_for(channels)
    lanes = columns * LANES
    padded = -(-channels // lanes) * lanes
    w = ctx.shared(f"dense {columns}", lambda: _packed(weight, lanes))
    b = ctx.shared(f"bias {padded}", lambda: padded_vector(bias, channels, 1, padded))
    all_rows, count, grain = shared_range(rows, ROWS[columns], padded // lanes, depth * padded)
    return _multiply.bind(
        FREE, w, b, None, None, None, activation.parameters, FREE, activation.flags, columns, all_rows, depth,
        channels, count=count, cost=rows * depth * channels, grain=grain,
    )  # fmt: skip


def _packed(weight: Array, lanes: int) -> Array:
    """`dense_weights` of ``[depth, channels]``; vectors of `lanes` channels are moved whole if possible."""
    if weight.shape[1] % lanes or not weight.flags.c_contiguous:
        return dense_weights(weight.T[:, None, None], 1, lanes)
    vectors = weight.view(np.dtype((np.void, lanes * weight.itemsize)))
    return np.ascontiguousarray(vectors.T).view(np.float32).reshape(-1)
