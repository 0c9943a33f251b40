"""arg_max, arg_min and hardmax of float32 in rows, and the first two along an axis before many elements."""

from __future__ import annotations

import functools
import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.job import Job
from lite.kernels.cpu.native.launching import launching_in_turn
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_arg_best = Function("sorting.arg_best.arg_best")
_arg_best_of_rows = Function("sorting.arg_best.arg_best_of_rows")
_arg_best_of_short_rows = Function("sorting.arg_best.arg_best_of_short_rows")
_mark_places = Function("sorting.arg_best.mark_places")

_LONGEST_SHORT = 256
"""Elements of the longest rows that are compared in lanes of their own."""

_COLUMNS = 8
"""With fewer columns, numpy is faster."""

_MOST = 1 << 24
"""The compiled functions count rows, or vectors of a row, in float32, exactly up to here."""


def _prepare(smallest: int, ctx: PrepareContext) -> KernelFunction | None:
    """The first place of the best element of each row or column; None for a few columns."""
    attrs, shape = ctx.attrs, ctx.inputs["X"][0].sizes
    axis = attrs.integer("axis") % max(len(shape), 1)
    columns, out_shape = math.prod(shape[axis + 1 :]), ctx.outputs["Out"][0].sizes
    is_plain = not (attrs.flag("flatten") or attrs.flag("select_last_index"))
    if not is_plain or not shape or 0 in shape or ctx.outputs["Out"][0].dtype is not DType.INT64:
        return None
    if 1 < columns < _COLUMNS or shape[axis] > _MOST:
        return None
    if columns == 1:
        search = best_of_rows(smallest, math.prod(shape[:axis]), shape[axis], ctx)
    else:
        search = _in_columns(smallest, shape, axis, ctx)

    def run(X: Array, *, out: Array | None = None) -> Array:
        result = np.empty(out_shape, np.int64) if out is None else out
        search(X, result)
        return result

    return only_launches(run)


def best_of_rows(smallest: int, count: int, size: int, ctx: PrepareContext) -> Job:
    """The job that finds the first place of the best element in each of `count` rows of `size` elements."""
    from lite.kernels.cpu.tile_sizes import LANES

    cost = PER_ELEMENT * count * size
    if LANES <= size <= _LONGEST_SHORT and count >= LANES:
        best = ctx.scratch_per_thread((LANES + 1) * LANES)
        return _arg_best_of_short_rows.bind(
            FREE, FREE, best, count, size, smallest, count=-(-count // LANES), cost=cost
        )
    best = ctx.scratch_per_thread(4 * LANES)
    return _arg_best_of_rows.bind(FREE, FREE, best, size, smallest, count=count, cost=cost)


def _in_columns(smallest: int, shape: tuple[int, ...], axis: int, ctx: PrepareContext) -> Job:
    from lite.kernels.cpu.lengths.sorting import CHUNK

    columns, matrices = math.prod(shape[axis + 1 :]), math.prod(shape[:axis])
    chunk = ctx.scratch_per_thread(2 * CHUNK)
    return _arg_best.bind(
        FREE, FREE, chunk, shape[axis], columns, smallest, count=matrices * -(-columns // CHUNK),
        cost=PER_ELEMENT * math.prod(shape),
    )  # fmt: skip


for _op, _smallest in (("arg_max", 0), ("arg_min", 1)):
    kernel(_op, "cpu", dtype=DType.FLOAT32, fallback="host")(functools.partial(_prepare, _smallest))


@kernel("hardmax", "cpu", dtype=DType.FLOAT32, fallback="host")
def hardmax(ctx: PrepareContext) -> KernelFunction | None:
    """1 at the first maximum of each row, 0 elsewhere; None, for the host, for another axis than the last."""
    shape = ctx.inputs["X"][0].sizes
    if not shape or 0 in shape or ctx.attrs.integer("axis") not in (-1, len(shape) - 1) or shape[-1] > _MOST:
        return None
    count, size = math.prod(shape[:-1]), shape[-1]
    jobs = (
        best_of_rows(0, count, size, ctx),
        _mark_places.bind(FREE, FREE, size, count=count, cost=PER_ELEMENT * count * size),
    )
    return launching_in_turn(jobs, [ctx.scratch((count,), np.int64)], ctx.outputs["Out"][0])
