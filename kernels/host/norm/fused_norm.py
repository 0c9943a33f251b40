"""skip_layernorm and fused_embedding_eltwise_layernorm on the host."""

from __future__ import annotations

import math

import numpy as np

from lite.kernels.host.compute_dtype import compute_dtype
from lite.kernels.host.index.lookup_table import lookup_table_v2
from lite.kernels.host.norm.standardize import scale_and_shift, standardize, standardize_room
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel, write


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    x, epsilon, begin = ctx.inputs["X"][0], ctx.attrs.real("epsilon"), ctx.attrs.integer("begin_norm_axis")
    shape = x.sizes
    if compute_dtype(x.dtype.numpy) != x.dtype.numpy or ctx.inputs["Y"][0].dtype is not x.dtype:
        return None
    matrix = math.prod(shape[:begin]), math.prod(shape[begin:])
    room = ctx.scratch((standardize_room(*matrix),), x.dtype.numpy)

    def run(
        X: Array, Y: Array, Scale: Array | None, Bias: Array | None, *, out: Array | None = None
    ) -> Array:
        total = np.add(X, Y, out=out)
        rows = total.reshape(matrix)
        standardize(rows, epsilon, rows, room.array)
        scale_and_shift(rows, Scale, Bias, (1, matrix[1]))
        return total

    return run


@kernel("skip_layernorm", prepare=_prepare)
def skip_layernorm(
    X: Array,
    Y: Array,
    Scale: Array | None,
    Bias: Array | None,
    *,
    epsilon: float,
    begin_norm_axis: int,
    out: Array | None = None,
) -> Array:
    """layer_norm of X + Y over the axes from `begin_norm_axis` on."""
    total = X + Y.astype(X.dtype, copy=False)
    return write(out, _normalised(total, Scale, Bias, epsilon, begin_norm_axis))


@kernel("fused_embedding_eltwise_layernorm")
def fused_embedding_eltwise_layernorm(
    Ids: list[Array],
    Embs: list[Array],
    Scale: Array | None,
    Bias: Array | None,
    *,
    epsilon: float,
    out: Array | None = None,
) -> Array:
    """layer_norm over the last axis of the sum of the rows that each of Ids names in its table."""
    total = lookup_table_v2(Embs[0], Ids[0], padding_idx=-1)
    for table, ids in zip(Embs[1:], Ids[1:], strict=True):
        total = total + lookup_table_v2(table, ids, padding_idx=-1)
    return write(out, _normalised(total, Scale, Bias, epsilon, total.ndim - 1))


def _normalised(x: Array, scale: Array | None, bias: Array | None, epsilon: float, begin: int) -> Array:
    rows, columns = math.prod(x.shape[:begin]), math.prod(x.shape[begin:])
    result, _, _ = standardize(x.reshape(rows, columns), epsilon)
    scale_and_shift(result, scale, bias, (1, columns))
    return result.reshape(x.shape).astype(x.dtype, copy=False)
