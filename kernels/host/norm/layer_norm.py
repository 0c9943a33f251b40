"""layer_norm, rms_norm, and Paddle's fused ops that contain a layer_norm."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.kernels.host.compute_dtype import compute_dtype
from lite.kernels.host.index.lookup_table import lookup_table_v2
from lite.kernels.host.norm.standardize import scale_and_shift, standardize, standardize_room
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel, write


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    x, epsilon, begin = ctx.inputs["X"][0], ctx.attrs.real("epsilon"), ctx.attrs.integer("begin_norm_axis")
    rows, columns = _matrix(x.sizes, begin)
    room = ctx.scratch((standardize_room(rows, columns),), compute_dtype(x.dtype.numpy))

    def run(
        X: Array, Scale: Array | None, Bias: Array | None, *, out: tuple[Array | None, ...] | None = None
    ) -> tuple[Array, Array, Array]:
        return _layer_norm(X, Scale, Bias, epsilon, begin, out, room.array)

    return run


@kernel("layer_norm", prepare=_prepare)
def layer_norm(
    X: Array,
    Scale: Array | None,
    Bias: Array | None,
    *,
    epsilon: float,
    begin_norm_axis: int,
    out: tuple[Array | None, ...] | None = None,
) -> tuple[Array, Array, Array]:
    """Mean 0 and variance 1 over the axes from `begin_norm_axis` on, then · Scale + Bias."""
    return _layer_norm(X, Scale, Bias, epsilon, begin_norm_axis, out, None)


def _matrix(shape: Sequence[int], begin: int) -> tuple[int, int]:
    return math.prod(shape[:begin]), math.prod(shape[begin:])


def _layer_norm(
    X: Array,
    Scale: Array | None,
    Bias: Array | None,
    epsilon: float,
    begin: int,
    out: tuple[Array | None, ...] | None,
    room: Array | None,
) -> tuple[Array, Array, Array]:
    matrix = _matrix(X.shape, begin)
    buffers = out or (None, None, None)
    target = buffers[0]
    if target is not None and target.flags.c_contiguous and compute_dtype(X.dtype) == X.dtype:
        target = target.reshape(matrix)
    else:
        target = None
    result, mean, variance = standardize(X.reshape(matrix), epsilon, target, room)
    scale_and_shift(result, Scale, Bias, (1, matrix[1]))
    if target is not None and buffers[0] is not None:
        return buffers[0], write(buffers[1], mean), write(buffers[2], variance)
    return (
        write(buffers[0], result.reshape(X.shape).astype(X.dtype, copy=False)),
        write(buffers[1], mean),
        write(buffers[2], variance),
    )


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
