"""arg_max and arg_min of float32 in rows, and along an axis before many elements."""

from __future__ import annotations

import functools
import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.job import Job
from lite.kernels.cpu.tile_sizes import LANES
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_arg_best = Function("arg_best.arg_best")
_arg_best_of_rows = Function("arg_best.arg_best_of_rows")

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
    search = _in_rows(smallest, shape, axis, ctx) if columns == 1 else _in_columns(smallest, shape, axis, ctx)

    def run(X: Array, *, out: Array | None = None) -> Array:
        result = np.empty(out_shape, np.int64) if out is None else out
        search(X, result)
        return result

    return only_launches(run)


def _in_rows(smallest: int, shape: tuple[int, ...], axis: int, ctx: PrepareContext) -> Job:
    size, count = shape[axis], math.prod(shape[:axis])
    best = ctx.scratch_per_thread(4 * LANES)
    return _arg_best_of_rows.bind(
        FREE, FREE, best, size, smallest, count=count, cost=PER_ELEMENT * math.prod(shape)
    )


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
