"""Reductions of float32 over one or two groups of axes, and logsumexp over the last ones."""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.codes import MAXIMUM, MINIMUM, PRODUCT, SUM
from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.native.job import FREE, Job
from lite.kernels.cpu.native.launching import launching, launching_in_turn
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_reduce_rows, _reduce_columns = Function("reduce.reduce_rows"), Function("reduce.reduce_columns")
_log_sum_exp = Function("rows.log_sum_exp_rows")

_KINDS = {
    "mean": SUM,
    "reduce_max": MAXIMUM,
    "reduce_mean": SUM,
    "reduce_min": MINIMUM,
    "reduce_prod": PRODUCT,
    "reduce_sum": SUM,
}

_MEANS = ("mean", "reduce_mean")


def split(shape: Sequence[int], axes: Collection[int]) -> tuple[int, int, int] | None:
    """`shape` as ``[outer, axis, inner]`` with `axes` merged in the middle; None if they are not neighbours.

    Axes of size 1 are ignored.  None also for an empty tensor, and if all `axes` have size 1.
    """
    wide = [n for n, size in enumerate(shape) if size != 1]
    places = [place for place, n in enumerate(wide) if n in axes]
    if 0 in shape or not places or places[-1] - places[0] >= len(places):
        return None
    sizes = [shape[n] for n in wide]
    first, last = places[0], places[-1] + 1
    return math.prod(sizes[:first]), math.prod(sizes[first:last]), math.prod(sizes[last:])


def _reduce(op: str, axes: Collection[int], ctx: PrepareContext) -> KernelFunction | None:
    shape = ctx.inputs["X"][0].sizes
    sizes = split(shape, axes)
    if {ctx.inputs["X"][0].dtype, ctx.outputs["Out"][0].dtype} != {DType.FLOAT32}:
        return None
    if sizes is None:
        return _reduce_twice(op, shape, axes, ctx)
    out_shape = ctx.outputs["Out"][0].sizes
    reduce = reduction(_KINDS[op], *sizes, sizes[1] if op in _MEANS else 1)

    def run(X: Array, *, out: Array | None = None) -> Array:
        result = np.empty(out_shape, np.float32) if out is None else out
        reduce(X, result)
        return result

    return only_launches(run)


def _reduce_twice(
    op: str, shape: Sequence[int], axes: Collection[int], ctx: PrepareContext
) -> KernelFunction | None:
    """A reduction over axes that two reductions cover: first over the last axes, then over the others."""
    wide = [n for n in axes if n < len(shape) and shape[n] != 1]
    if not wide:
        return None
    first = next((n + 1 for n in range(max(wide), -1, -1) if n not in axes and shape[n] != 1), 0)
    later = [n for n in axes if n >= first]
    inner, rest = split(shape, later), [1 if n in later else size for n, size in enumerate(shape)]
    outer = split(rest, axes)
    if inner is None or outer is None:
        return None
    divisor = inner[1] * outer[1] if op in _MEANS else 1
    between = ctx.scratch((inner[0] * inner[2],))
    jobs = reduction(_KINDS[op], *inner), reduction(_KINDS[op], *outer, divisor)
    return launching_in_turn(jobs, [between], ctx.outputs["Out"][0])


def reduction(kind: int, outer: int, axis: int, inner: int, divisor: int = 1) -> Job:
    """The job that reduces the middle axis of ``[outer, axis, inner]``; sums are divided by `divisor`."""
    cost = PER_ELEMENT * outer * axis * inner
    if inner == 1:
        return _reduce_rows.bind(FREE, FREE, kind, axis, divisor, count=outer, cost=cost)
    from lite.kernels.cpu.tile_sizes import REDUCED_COLUMNS

    strips = outer * -(-inner // REDUCED_COLUMNS)
    return _reduce_columns.bind(FREE, FREE, kind, axis, inner, divisor, count=strips, cost=cost)


def _reduce_axes(op: str, ctx: PrepareContext) -> KernelFunction | None:
    """A reduction along the axes of the attribute dim; None for axes that are computed in the run."""
    axes = _axes(ctx)
    return None if axes is None else _reduce(op, axes, ctx)


def _axes(ctx: PrepareContext) -> Collection[int] | None:
    """The axes that are reduced; None where the run computes them."""
    rank = ctx.inputs["X"][0].rank
    axes = {axis % max(rank, 1) for axis in ctx.attrs.integers("dim")}
    if ctx.inputs.get("AxisTensor"):
        return None
    return range(rank) if ctx.attrs.flag("reduce_all") or not axes else axes


for _op in ("reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum"):
    kernel(_op, "cpu", dtype=DType.FLOAT32, slots=("X",), fallback="host")(
        functools.partial(_reduce_axes, _op)
    )


@kernel("logsumexp", "cpu", dtype=DType.FLOAT32, slots=("X",), fallback="host")
def logsumexp(ctx: PrepareContext) -> KernelFunction | None:
    """The logarithm of sums of exp(X) over the last axes; None for others."""
    shape, axes = ctx.inputs["X"][0].sizes, _axes(ctx)
    sizes = None if axes is None else split(shape, axes)
    if sizes is None or sizes[2] != 1:
        return None
    rows, size, _ = sizes
    job = _log_sum_exp.bind(FREE, FREE, size, count=rows, cost=4 * PER_ELEMENT * rows * size)
    return launching(job, ctx.outputs["Out"][0])


@kernel("mean", "cpu", dtype=DType.FLOAT32, fallback="host")
def mean(ctx: PrepareContext) -> KernelFunction | None:
    """The mean of all elements, a tensor of rank 0."""
    return _reduce("mean", range(ctx.inputs["X"][0].rank), ctx)
