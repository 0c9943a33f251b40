"""concat and split along any axis, as copies of columns of matrices."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.element_types import is_plain
from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.native.job import FREE, Job
from lite.ops import Meta
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_copy_columns, _copy_bytes = Function("moves.layout.copy_columns"), Function("moves.byte_moves.copy_columns")


def concat(ctx: PrepareContext) -> KernelFunction | None:
    """Join the tensors of X along an axis; None for tensors of several types."""
    parts, whole = ctx.inputs["X"], ctx.outputs["Out"][0]
    place = joined_axis(ctx, whole)
    if place is None or not all(part.dtype is whole.dtype for part in parts):
        return None
    shape, dtype = whole.sizes, whole.dtype.numpy
    jobs = column_copies(whole, [part.sizes[place] for part in parts], place, is_split=False)

    def run(X: list[Array], *, out: Array | None = None) -> Array:
        joined = np.empty(shape, dtype) if out is None else out
        for job, x in zip(jobs, X, strict=True):
            job(x, joined)
        return joined

    return only_launches(run)


def split(ctx: PrepareContext) -> KernelFunction | None:
    """Split X along an axis into `num` equal parts, or into parts of `sections` (-1 for the rest)."""
    parts, whole = ctx.outputs["Out"], ctx.inputs["X"][0]
    place = joined_axis(ctx, whole)
    if place is None:
        return None
    shapes, dtype = [part.sizes for part in parts], whole.dtype.numpy
    jobs = column_copies(whole, [shape[place] for shape in shapes], place, is_split=True)

    def run(X: Array, *, out: list[Array] | None = None) -> list[Array]:
        results = [np.empty(shape, dtype) for shape in shapes] if out is None else out
        for job, part in zip(jobs, results, strict=True):
            job(X, part)
        return results

    return only_launches(run)


def joined_axis(ctx: PrepareContext, whole: Meta) -> int | None:
    """The axis; None for an axis that the run computes, and for an empty tensor."""
    if ctx.inputs.get("AxisTensor") or not whole.dims or 0 in whole.dims:
        return None
    return ctx.attrs.integer("axis") % whole.rank


def column_copies(whole: Meta, sizes: Sequence[int], place: int, *, is_split: bool) -> list[Job]:
    """A job for each part of a tensor; `sizes` are the parts' sizes along axis `place`."""
    copy, unit = (
        (_copy_columns, 1) if whole.dtype is DType.FLOAT32 else (_copy_bytes, whole.dtype.numpy.itemsize)
    )
    shape, cost = whole.sizes, PER_ELEMENT * whole.dtype.numpy.itemsize / 4
    rows, inner = math.prod(shape[:place]), math.prod(shape[place + 1 :]) * unit
    stride = shape[place] * inner
    jobs = []
    for size, before in zip(sizes, itertools.accumulate(sizes, initial=0), strict=False):
        width, column = size * inner, before * inner
        far, near = (stride, column), (width, 0)
        jobs.append(
            copy.bind(
                FREE, FREE, width, *(far + near if is_split else near + far),
                count=rows, cost=cost * rows * width / unit,
            )
        )  # fmt: skip
    return jobs


for _dtype in filter(is_plain, DType):
    kernel("concat", "cpu", dtype=_dtype, slots=("X",), fallback="host")(concat)
    kernel("split", "cpu", dtype=_dtype, slots=("X",), fallback="host")(split)
