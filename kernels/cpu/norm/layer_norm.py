"""layer_norm and skip_layernorm of float32 (Ba, Kiros and Hinton 2016)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.native.job import FREE, Argument, Job
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_normalise_rows = Function("rows.normalise_rows")

_PASSES = 3
"""The cost per element, as a multiple of a copy."""


@kernel("layer_norm", "cpu", dtype=DType.FLOAT32, fallback="host")
def layer_norm(ctx: PrepareContext) -> KernelFunction | None:
    """Normalise over the axes from `begin_norm_axis` on to mean 0 and variance 1, then · Scale + Bias."""
    normalise = _normalisation(ctx, None)
    if normalise is None:
        return None
    shape, rows = ctx.inputs["X"][0].sizes, normalise.count
    # Statistics that no node reads are computed, too.
    unread = [None if ctx.outputs.get(slot) else ctx.scratch((rows,)) for slot in ("Mean", "Variance")]

    def run(
        X: Array, Scale: Array | None, Bias: Array | None, *, out: tuple[Array | None, ...] | None = None
    ) -> tuple[Array, Array, Array]:
        buffers = (None, None, None) if out is None else (*out, None, None)
        y = np.empty(shape, np.float32) if buffers[0] is None else buffers[0]
        means, variances = (
            scratch.array if scratch is not None else np.empty(rows, np.float32) if buffer is None else buffer
            for scratch, buffer in zip(unread, buffers[1:3], strict=True)
        )
        normalise(X, *(each for each in (Scale, Bias) if each is not None), y, means, variances)
        return y, means, variances

    return only_launches(run)


@kernel("skip_layernorm", "cpu", dtype=DType.FLOAT32, fallback="host")
def skip_layernorm(ctx: PrepareContext) -> KernelFunction | None:
    """layer_norm of X + Y over the axes from `begin_norm_axis` on; Y may lack the first axes of X."""
    x, y = ctx.inputs["X"][0], ctx.inputs["Y"][0]
    others = _rows_of(y.sizes, x.sizes, ctx.attrs.integer("begin_norm_axis"))
    normalise = _normalisation(ctx, FREE, others) if others and y.dtype is DType.FLOAT32 else None
    if normalise is None:
        return None
    shape, rows = x.sizes, normalise.count
    means, variances = ctx.scratch((rows,)), ctx.scratch((rows,))

    def run(
        X: Array, Y: Array, Scale: Array | None, Bias: Array | None, *, out: Array | None = None
    ) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        vectors = (each for each in (Scale, Bias) if each is not None)
        normalise(X, Y, *vectors, result, means.array, variances.array)
        return result

    return only_launches(run)


def _rows_of(sizes: Sequence[int], shape: Sequence[int], begin: int) -> int:
    """The rows of a tensor that is repeated along the first axes of `shape`; 0 for other sizes."""
    own = [1] * (len(shape) - len(sizes)) + [*sizes]
    first = min(next((n for n, size in enumerate(own) if size != 1), begin), begin)
    if own[first:] != [*shape[first:]]:
        return 0
    return math.prod(own[:begin])


def _normalisation(ctx: PrepareContext, addend: Argument, others: int = 0) -> Job | None:
    """The job; its free arguments are x, `addend`, Scale and Bias where the op has them, and the outputs.

    The outputs are y, the means and the variances.
    """
    shape = ctx.inputs["X"][0].sizes
    begin = ctx.attrs.integer("begin_norm_axis")
    rows, columns = math.prod(shape[:begin]), math.prod(shape[begin:])
    vectors = [meta for slot in ("X", "Scale", "Bias") for meta in ctx.inputs.get(slot, ())]
    if not rows * columns or any(meta.dtype is not DType.FLOAT32 for meta in vectors):
        return None
    scale = FREE if ctx.inputs.get("Scale") else np.ones(columns, np.float32)
    shift = FREE if ctx.inputs.get("Bias") else np.zeros(columns, np.float32)
    return _normalise_rows.bind(
        FREE, addend, scale, shift, ctx.attrs.real("epsilon"), FREE, FREE, FREE, others,
        columns, count=rows, cost=_PASSES * PER_ELEMENT * rows * columns,
    )  # fmt: skip
