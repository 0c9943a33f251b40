"""arg_max and arg_min of float32 along an axis before the last one."""

from __future__ import annotations

import functools
import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_arg_best = Function("arg_best.arg_best")

_MOST_ROWS = 1 << 24
"""The compiled function counts rows in float32, exactly up to here."""


def _prepare(smallest: int, ctx: PrepareContext) -> KernelFunction | None:
    """The first place of the best element of each column, which numpy finds column by column."""
    from lite.kernels.cpu.lengths.sorting import CHUNK

    attrs, shape = ctx.attrs, ctx.inputs["X"][0].sizes
    axis = attrs.integer("axis") % max(len(shape), 1)
    columns = math.prod(shape[axis + 1 :])
    is_plain = not (attrs.flag("flatten") or attrs.flag("select_last_index"))
    if not is_plain or columns < 8 or 0 in shape or ctx.outputs["Out"][0].dtype is not DType.INT64:
        return None
    if shape[axis] > _MOST_ROWS:
        return None
    matrices, out_shape = math.prod(shape[:axis]), ctx.outputs["Out"][0].sizes
    chunk = ctx.scratch_per_thread(2 * CHUNK)
    search = _arg_best.bind(
        FREE, FREE, chunk, shape[axis], columns, smallest, count=matrices * -(-columns // CHUNK),
        cost=PER_ELEMENT * math.prod(shape),
    )  # fmt: skip

    def run(X: Array, *, out: Array | None = None) -> Array:
        result = np.empty(out_shape, np.int64) if out is None else out
        search(X, result)
        return result

    return only_launches(run)


for _op, _smallest in (("arg_max", 0), ("arg_min", 1)):
    kernel(_op, "cpu", dtype=DType.FLOAT32, fallback="host")(functools.partial(_prepare, _smallest))
