"""cache_append of elements of any size."""

from __future__ import annotations

import math

from lite.ir.types import DType
from lite.kernels.cpu.element_types import is_plain
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.launching import launching
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_append_rows = Function("moves.byte_moves.append_rows")


def cache_append(ctx: PrepareContext) -> KernelFunction | None:
    """The first Starts[i] rows of sample i in X, then Updates, then zeros.

    None, for the host, where Starts is not int64 or not of the batch, or Updates are empty or of other sizes.
    """
    [x], [updates], [starts] = (ctx.inputs[slot] for slot in ("X", "Updates", "Starts"))
    [result] = ctx.outputs["Out"]
    (batch, heads, added, size), before, rows = updates.sizes, x.sizes[2], result.sizes[2]
    if starts.dtype is not DType.INT64 or starts.sizes != (batch,) or updates.dtype is not x.dtype:
        return None
    if 0 in (*updates.sizes, rows) or x.sizes != (batch, heads, before, size):
        return None
    append = _append_rows.bind(
        FREE, FREE, FREE, FREE, before, added, rows, size * x.dtype.itemsize, heads, count=batch * heads,
        cost=PER_ELEMENT * math.prod(result.sizes),
    )  # fmt: skip
    plain = launching(append, result)

    def run(X: Array, Updates: Array, Starts: Array, Length: Array, *, out: Array | None = None) -> Array:
        result: Array = plain(X, Updates, Starts, out=out)
        return result

    return only_launches(run)


for _dtype in filter(is_plain, DType):
    kernel("cache_append", "cpu", dtype=_dtype, fallback="host", per_run=("Length",))(cache_append)
