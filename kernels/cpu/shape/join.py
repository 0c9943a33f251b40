"""concat and split of float32 along any axis, as copies of columns of matrices."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.native.job import FREE, Job
from lite.ops import Meta
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_copy_columns = Function("layout.copy_columns")


@kernel("concat", "cpu", dtype=DType.FLOAT32, slots=("X",), fallback="host")
def concat(ctx: PrepareContext) -> KernelFunction | None:
    """Join the tensors of X along an axis."""
    run = joining(ctx, _copy_columns, DType.FLOAT32)
    return None if run is None else only_launches(run)


@kernel("split", "cpu", dtype=DType.FLOAT32, slots=("X",), fallback="host")
def split(ctx: PrepareContext) -> KernelFunction | None:
    """Split X along an axis into `num` equal parts, or into parts of `sections` (-1 for the rest)."""
    run = splitting(ctx, _copy_columns, DType.FLOAT32)
    return None if run is None else only_launches(run)


def joining(ctx: PrepareContext, copy: Function, dtype: DType) -> KernelFunction | None:
    """The prepared function of a concat of tensors of `dtype`, whose columns `copy` copies."""
    parts, whole = ctx.inputs["X"], ctx.outputs["Out"][0]
    place = joined_axis(ctx, whole)
    if place is None or not all(part.dtype is dtype for part in parts):
        return None
    shape = whole.sizes
    jobs = column_copies(copy, shape, [part.sizes[place] for part in parts], place, is_split=False)

    def run(X: list[Array], *, out: Array | None = None) -> Array:
        joined = np.empty(shape, dtype.numpy) if out is None else out
        for job, x in zip(jobs, X, strict=True):
            job(x, joined)
        return joined

    return run


def splitting(ctx: PrepareContext, copy: Function, dtype: DType) -> KernelFunction | None:
    """The prepared function of a split of a tensor of `dtype`, whose columns `copy` copies."""
    parts, whole = ctx.outputs["Out"], ctx.inputs["X"][0]
    place = joined_axis(ctx, whole)
    if place is None:
        return None
    shapes = [part.sizes for part in parts]
    jobs = column_copies(copy, whole.sizes, [shape[place] for shape in shapes], place, is_split=True)

    def run(X: Array, *, out: list[Array] | None = None) -> list[Array]:
        results = [np.empty(shape, dtype.numpy) for shape in shapes] if out is None else out
        for job, part in zip(jobs, results, strict=True):
            job(X, part)
        return results

    return run


def joined_axis(ctx: PrepareContext, whole: Meta) -> int | None:
    """The axis; None for an axis that the run computes, and for an empty tensor."""
    if ctx.inputs.get("AxisTensor") or not whole.dims or 0 in whole.dims:
        return None
    return ctx.attrs.integer("axis") % whole.rank


def column_copies(
    copy: Function, shape: Sequence[int], sizes: Sequence[int], place: int, *, is_split: bool
) -> list[Job]:
    """A job for each part of an array of this shape; `sizes` are the parts' sizes along axis `place`."""
    rows, inner = math.prod(shape[:place]), math.prod(shape[place + 1 :])
    stride = shape[place] * inner
    jobs = []
    for size, before in zip(sizes, itertools.accumulate(sizes, initial=0), strict=False):
        width, column = size * inner, before * inner
        far, near = (stride, column), (width, 0)
        jobs.append(
            copy.bind(
                FREE, FREE, width, *(far + near if is_split else near + far),
                count=rows, cost=PER_ELEMENT * rows * width,
            )
        )  # fmt: skip
    return jobs
