"""fc with constant weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.activation.activation import activation_of
from lite.kernels.cpu.arrays import padded_vector
from lite.kernels.cpu.convolution.convolution import dense_weights
from lite.kernels.cpu.host import on_host
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel

_multiply = Function("multiply.multiply")


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    attrs: Any = ctx.attrs
    weight, bias = ctx.constant("W"), ctx.constant("Bias")
    name = attrs["activation"] or attrs["activation_type"]
    activation = activation_of(name, attrs["activation_params"])
    x, y = ctx.inputs["Input"][0], ctx.outputs["Out"][0]
    if weight is None or activation is None or attrs["padding_weights"] or not (x.is_static and y.is_static):
        return None
    if weight.dtype != np.float32 or (bias is None and ctx.inputs.get("Bias")):
        return None
    from lite.kernels.cpu.tile_sizes import LANES, ROWS, columns_for

    depth, channels = weight.shape
    sizes = [int(dim) for dim in x.dims if isinstance(dim, int)]
    rows = math.prod(sizes[: attrs["in_num_col_dims"]])
    shape = tuple(int(dim) for dim in y.dims if isinstance(dim, int))
    if not (rows and depth and channels):
        return None
    columns = columns_for(channels)
    lanes = columns * LANES
    room = -(-channels // lanes) * lanes
    w = ctx.shared(f"dense {columns}", lambda: dense_weights(weight.T[:, None, None], 1, lanes))
    b = ctx.shared(f"bias {room}", lambda: padded_vector(bias, channels, 1, room))

    compute = _multiply.bind(
        FREE, w, b, None, None, None, activation.parameters, FREE, activation.flags, columns, depth, channels,
        count=rows, cost=rows * depth * channels, grain=ROWS[columns],
    )  # fmt: skip

    def run(
        Input: Array,
        W: Array,
        Bias: Array | None = None,
        Alpha: Array | None = None,
        *,
        out: Array | None = None,
    ) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        compute(Input, result)
        return result

    return run


@kernel("fc", "cpu", dtype=DType.FLOAT32, prepare=_prepare, packs=("W",))
def fc(
    Input: Array,
    W: Array,
    Bias: Array | None = None,
    Alpha: Array | None = None,
    *,
    in_num_col_dims: int = 1,
    activation_type: str = "",
    padding_weights: bool = False,
    activation: str = "",
    activation_params: Sequence[float] = (),
    prelu_mode: str = "all",
    out: Array | None = None,
) -> Array:
    """The activation of Input · W + Bias, the first in_num_col_dims axes of Input as rows."""
    attrs = {
        "in_num_col_dims": in_num_col_dims,
        "activation_type": activation_type,
        "padding_weights": padding_weights,
        "activation": activation,
        "activation_params": activation_params,
        "prelu_mode": prelu_mode,
    }
    return on_host("fc", {"Input": Input, "W": W, "Bias": Bias, "Alpha": Alpha}, attrs, out)
