"""matmul_v2, matmul and bmm of many rows, which threads share; BLAS has one thread in a run."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.codes import CLAMPED
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_pack_panels, _multiply_matrices = Function("matmul.pack_panels"), Function("matmul.multiply_matrices")

_LEAST_ROWS, _LEAST_COST = 64, 1 << 23
"""The fewest rows that are worth packing the other matrix, and the least multiplications worth threads."""


@kernel("matmul_v2", "cpu", dtype=DType.FLOAT32, fallback="host")
def matmul_v2(ctx: PrepareContext) -> KernelFunction | None:
    """X · Y over the last two axes, others broadcast; a vector counts as a row (X) or a column (Y)."""
    return _product(ctx, ctx.attrs.flag("trans_x"), ctx.attrs.flag("trans_y"), 1.0)


@kernel("matmul", "cpu", dtype=DType.FLOAT32, fallback="host")
def matmul(ctx: PrepareContext) -> KernelFunction | None:
    """alpha · X · Y as in matmul_v2; a transposed vector counts as a column (X) or a row (Y)."""
    attrs = ctx.attrs
    return _product(ctx, attrs.flag("transpose_X"), attrs.flag("transpose_Y"), attrs.real("alpha"))


@kernel("bmm", "cpu", dtype=DType.FLOAT32, fallback="host")
def bmm(ctx: PrepareContext) -> KernelFunction | None:
    """X · Y for each index of the first axis."""
    return _product(ctx, False, False, 1.0)


def _sizes(x: Sequence[int], y: Sequence[int], is_transposed: bool) -> tuple[int, int, int, int] | None:
    """The number of matrices, and rows, depth and columns of each; None where the host is as fast."""
    if len(x) < 2 or len(y) < 2 or not math.prod(x) * math.prod(y):
        return None
    depth, channels = y[:-3:-1] if is_transposed else y[-2:]
    if len(y) == 2:
        sizes = 1, math.prod(x[:-1]), depth, channels
    elif x[:-2] == y[:-2]:
        sizes = math.prod(x[:-2]), x[-2], depth, channels
    else:
        return None
    return sizes if sizes[1] >= _LEAST_ROWS and math.prod(sizes) >= _LEAST_COST else None


def _product(
    ctx: PrepareContext, transposes_x: bool, transposes_y: bool, alpha: float
) -> KernelFunction | None:
    x, y = ctx.inputs["X"][0], ctx.inputs["Y"][0]
    if transposes_x or y.dtype is not DType.FLOAT32:
        return None
    sizes = _sizes(x.sizes, y.sizes, transposes_y)
    if sizes is None:
        return None
    matrices, rows, depth, channels = sizes
    shape = ctx.outputs["Out"][0].sizes
    from lite.kernels.cpu.tile_sizes import LANES, ROWS, columns_for

    columns = columns_for(channels)
    lanes = columns * LANES
    panels = -(-channels // lanes)
    panel = ctx.scratch((matrices * panels * depth * lanes,))
    bias = np.zeros(panels * lanes, np.float32)
    parameters = np.array([alpha, 0, -np.inf, np.inf, 0], np.float32)
    pack = _pack_panels.bind(
        FREE, FREE, depth, channels, lanes, int(transposes_y),
        count=matrices * panels, cost=PER_ELEMENT * matrices * depth * channels,
    )  # fmt: skip
    multiply = _multiply_matrices.bind(
        FREE, FREE, bias, parameters, FREE, CLAMPED if alpha != 1.0 else 0, columns, rows, depth, channels,
        count=matrices * rows, cost=matrices * rows * depth * channels, grain=ROWS[columns],
    )  # fmt: skip

    def run(X: Array, Y: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        pack(Y, panel.array)
        multiply(X, panel.array, result)
        return result

    return only_launches(run)
