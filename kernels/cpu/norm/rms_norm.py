"""Vectors divided by their lengths: rms_norm, norm and lp_normalize."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Argument, Function, Job
from lite.ops import Meta
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.run_context import PER_ELEMENT

_divide_by_lengths = Function("norm.divide_by_lengths")

_PASSES = 2
"""How much more than a copy it costs."""


def _division(scale: Argument, epsilon: float, divisor: int, rows: int, size: int) -> Job:
    """Takes x, `scale` where that is `FREE`, the result, and memory for the lengths of the rows."""
    return _divide_by_lengths.bind(
        FREE, scale, FREE, FREE, epsilon, divisor, size,
        count=rows, cost=_PASSES * PER_ELEMENT * rows * size,
    )  # fmt: skip


def _rows(ctx: PrepareContext, first: int) -> tuple[int, int] | None:
    """How many rows there are, and of what size, if the axes from `first` on are one; None if it is empty."""
    sizes = ctx.inputs["X"][0].sizes
    return (math.prod(sizes[:first]), math.prod(sizes[first:])) if math.prod(sizes) else None


def _last_axis(ctx: PrepareContext) -> tuple[int, int] | None:
    """Rows and their size where the op's axis is the last one."""
    rank = ctx.inputs["X"][0].rank
    return _rows(ctx, rank - 1) if ctx.attrs.integer("axis") in (-1, rank - 1) else None


@kernel("rms_norm", "cpu", dtype=DType.FLOAT32, fallback="host")
def rms_norm(ctx: PrepareContext) -> KernelFunction | None:
    """``X / sqrt(mean(X²) + epsilon) · Scale``, the mean over the axes from `begin_norm_axis` on."""
    found, scales = _rows(ctx, ctx.attrs.integer("begin_norm_axis")), ctx.inputs.get("Scale")
    if found is None or (scales and not _is_row(scales[0], found[1])):
        return None
    rows, size = found
    lengths = ctx.scratch((rows,))
    scale = FREE if scales else np.ones(size, np.float32)
    divide = _division(scale, ctx.attrs.real("epsilon"), size, rows, size)

    def run(X: Array, Scale: Array | None, *, out: Array | None = None) -> Array:
        y = np.empty(X.shape, np.float32) if out is None else out
        if Scale is None:
            divide(X, y, lengths.array)
        else:
            divide(X, Scale, y, lengths.array)
        return y

    return run


def _is_row(scale: Meta, size: int) -> bool:
    """Whether it has a number for each element of a row, so that it meets the rows as they are."""
    return scale.dtype is DType.FLOAT32 and math.prod(scale.sizes) == size


@kernel("norm", "cpu", dtype=DType.FLOAT32, fallback="host")
def norm(ctx: PrepareContext) -> KernelFunction | None:
    """``X / Norm`` with ``Norm = sqrt(Σ X² + epsilon)`` along the last axis."""
    found = _last_axis(ctx)
    if found is None:
        return None
    rows, size = found
    divide = _division(np.ones(size, np.float32), ctx.attrs.real("epsilon"), 1, rows, size)

    def run(X: Array, *, out: tuple[Array | None, ...] | None = None) -> tuple[Array, Array]:
        buffers = out or (None,)
        y = np.empty(X.shape, np.float32) if buffers[0] is None else buffers[0]
        norm = buffers[1] if len(buffers) > 1 else None
        lengths = np.empty((*X.shape[:-1], 1), np.float32) if norm is None else norm
        divide(X, y, lengths)
        return y, lengths

    return run


@kernel("lp_normalize", "cpu", dtype=DType.FLOAT32, fallback="host")
def lp_normalize(ctx: PrepareContext) -> KernelFunction | None:
    """`X` divided by its 2-norms along the last axis; zeros stay zeros."""
    found = _last_axis(ctx)
    if found is None or ctx.attrs.integer("porder") != 2:
        return None
    rows, size = found
    lengths = ctx.scratch((rows,))
    divide = _division(np.ones(size, np.float32), 0.0, 1, rows, size)

    def run(X: Array, *, out: Array | None = None) -> Array:
        y = np.empty(X.shape, np.float32) if out is None else out
        divide(X, y, lengths.array)
        return y

    return run
