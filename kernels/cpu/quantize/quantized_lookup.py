"""quantized_lookup from bytes to bytes with a constant table."""

from __future__ import annotations

import math

import numpy as np

from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.native.job import FREE
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_look_up = Function("lookup.look_up")

_GRAIN = 16384
"""Elements of a worker's least share."""


@kernel("quantized_lookup", "cpu", slots=("X",), packs=("Table",), fallback="host")
def quantized_lookup(ctx: PrepareContext) -> KernelFunction | None:
    """Table[X] with a table of bytes, signed or not."""
    table, out = ctx.constant("Table"), ctx.outputs["Out"][0]
    if table is None or table.itemsize != 1:
        return None
    shape, dtype, count = out.sizes, out.dtype.numpy, math.prod(out.sizes)
    entries = np.ascontiguousarray(table).view(np.uint8)
    compute = _look_up.bind(FREE, entries, FREE, count=count, cost=PER_ELEMENT * count // 4, grain=_GRAIN)

    def run(X: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, dtype) if out is None else out
        compute(X.view(np.uint8), result.view(np.uint8))
        return result

    return only_launches(run)
