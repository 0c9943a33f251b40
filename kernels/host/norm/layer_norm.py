"""layer_norm on the host."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lite.kernels.host.compute_dtype import compute_dtype
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
