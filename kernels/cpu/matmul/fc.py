"""fc with constant weights."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.activation.activation import activation_of
from lite.kernels.cpu.arrays import padded_vector
from lite.kernels.cpu.convolution.convolution import dense_weights
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches

_multiply = Function("multiply.multiply")


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
    from lite.kernels.cpu.tile_sizes import LANES, ROWS, columns_for

    depth, channels = weight.shape
    rows = math.prod(ctx.inputs["Input"][0].sizes[: attrs.integer("in_num_col_dims")])
    shape = ctx.outputs["Out"][0].sizes
    if not (rows and depth and channels):
        return None
    columns = columns_for(channels)
    lanes = columns * LANES
    padded = -(-channels // lanes) * lanes
    w = ctx.shared(f"dense {columns}", lambda: dense_weights(weight.T[:, None, None], 1, lanes))
    b = ctx.shared(f"bias {padded}", lambda: padded_vector(bias, channels, 1, padded))

    compute = _multiply.bind(
        FREE, w, b, None, None, None, activation.parameters, FREE, activation.flags, columns, depth, channels,
        count=rows, cost=rows * depth * channels, grain=ROWS[columns],
    )  # fmt: skip

    def run(Input: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        compute(Input, result)
        return result

    return only_launches(run)
