"""matmul_v2, matmul and bmm of many rows, which threads share; BLAS has one thread in a run."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.activation.activation import activation_of
from lite.kernels.cpu.matmul.fc import packed_product
from lite.kernels.cpu.matmul.products import Products, products
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches

_MOST_BY_VECTOR = 1 << 15
"""Multiplications by a constant vector up to which a call of BLAS takes longer, with its limit of threads."""


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


def _sizes(x: Sequence[int], y: Sequence[int], is_transposed: bool) -> Products | None:
    """What is multiplied; None for vectors, and where the first matrices are repeated for others."""
    if len(x) < 2 or len(y) < 2:
        return None
    depth, channels = y[:-3:-1] if is_transposed else y[-2:]
    lead = list(y[:-2])
    while lead and lead[0] == 1:
        del lead[0]
    if not lead:
        return Products(1, 1, math.prod(x[:-1]), depth, channels, is_transposed)
    if list(x[:-2][-len(lead) :]) != lead:
        return None
    return Products(math.prod(x[:-2]), math.prod(lead), x[-2], depth, channels, is_transposed)


def _product(
    ctx: PrepareContext, transposes_x: bool, transposes_y: bool, alpha: float
) -> KernelFunction | None:
    x, y = ctx.inputs["X"][0], ctx.inputs["Y"][0]
    if transposes_x or y.dtype is not DType.FLOAT32:
        return None
    weight = ctx.constant("Y")
    if weight is not None and x.rank > 1 and alpha == 1:
        if weight.ndim == 2:
            return _by_weights(ctx, weight.T if transposes_y else weight)
        if weight.ndim == 1 and not transposes_y and math.prod(x.sizes) <= _MOST_BY_VECTOR:
            return _by_weights(ctx, weight[:, None])
    sizes = _sizes(x.sizes, y.sizes, transposes_y)
    return None if sizes is None else products(ctx, sizes, alpha)


def _by_weights(ctx: PrepareContext, weight: Array) -> KernelFunction | None:
    """The product by a constant matrix, which is packed once."""
    activation, shape = activation_of("", ()), ctx.outputs["Out"][0].sizes
    if activation is None:
        return None
    job = packed_product(ctx, weight, None, activation, math.prod(ctx.inputs["X"][0].sizes[:-1]))
    if job is None:
        return None

    def run(X: Array, Y: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        job(X, result)
        return result

    return only_launches(run)
