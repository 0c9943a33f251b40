"""rms_norm, norm and lp_normalize: divide rows of float32 by their lengths."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.native.job import FREE, Argument, Job
from lite.ops import Meta
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_divide_by_lengths = Function("norm.divide_by_lengths")

_PASSES = 2
"""The cost per element, as a multiple of a copy."""


def _division(scale: Argument, epsilon: float, divisor: int, rows: int, size: int) -> Job:
    """The job; its free arguments are x, `scale` if it is `FREE`, the result, and the lengths of the rows."""
    return _divide_by_lengths.bind(
        FREE, scale, FREE, FREE, epsilon, divisor, size,
        count=rows, cost=_PASSES * PER_ELEMENT * rows * size,
    )  # fmt: skip


def _rows(ctx: PrepareContext, first: int) -> tuple[int, int] | None:
    """The number of rows and their size, with the axes from `first` on as a row; None for an empty tensor."""
    sizes = ctx.inputs["X"][0].sizes
    return (math.prod(sizes[:first]), math.prod(sizes[first:])) if math.prod(sizes) else None


def _last_axis(ctx: PrepareContext) -> tuple[int, int] | None:
    """The number of rows and their size; None unless the op's axis is the last one."""
    rank = ctx.inputs["X"][0].rank
    return _rows(ctx, rank - 1) if ctx.attrs.integer("axis") in (-1, rank - 1) else None


@kernel("rms_norm", "cpu", dtype=DType.FLOAT32, fallback="host")
def rms_norm(ctx: PrepareContext) -> KernelFunction | None:
    """``X / sqrt(mean(X²) + epsilon) · Scale`` with the mean over the axes from `begin_norm_axis` on.

    B. Zhang and R. Sennrich, "Root Mean Square Layer Normalization", NeurIPS 2019.
    """
    shape, scales = _rows(ctx, ctx.attrs.integer("begin_norm_axis")), ctx.inputs.get("Scale")
    if shape is None or (scales and not _is_row(scales[0], shape[1])):
        return None
    rows, size = shape
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

    return only_launches(run)


def _is_row(scale: Meta, size: int) -> bool:
    """Whether it has a float32 for each element of a row."""
    return scale.dtype is DType.FLOAT32 and math.prod(scale.sizes) == size


@kernel("norm", "cpu", dtype=DType.FLOAT32, fallback="host")
def norm(ctx: PrepareContext) -> KernelFunction | None:
    """``X / Norm`` with ``Norm = sqrt(Σ X² + epsilon)`` along the last axis."""
    shape = _last_axis(ctx)
    if shape is None:
        return None
    rows, size = shape
    divide = _division(np.ones(size, np.float32), ctx.attrs.real("epsilon"), 1, rows, size)

    def run(X: Array, *, out: tuple[Array | None, ...] | None = None) -> tuple[Array, Array]:
        buffers = out or (None,)
        y = np.empty(X.shape, np.float32) if buffers[0] is None else buffers[0]
        norm = buffers[1] if len(buffers) > 1 else None
        lengths = np.empty((*X.shape[:-1], 1), np.float32) if norm is None else norm
        divide(X, y, lengths)
        return y, lengths

    return only_launches(run)


@kernel("lp_normalize", "cpu", dtype=DType.FLOAT32, fallback="host")
def lp_normalize(ctx: PrepareContext) -> KernelFunction | None:
    """`X` divided by its 2-norms along the last axis; zeros stay zeros."""
    shape = _last_axis(ctx)
    if shape is None or ctx.attrs.integer("porder") != 2:
        return None
    rows, size = shape
    lengths = ctx.scratch((rows,))
    divide = _division(np.ones(size, np.float32), 0.0, 1, rows, size)

    def run(X: Array, *, out: Array | None = None) -> Array:
        y = np.empty(X.shape, np.float32) if out is None else out
        divide(X, y, lengths.array)
        return y

    return only_launches(run)
