"""top_k_v2 of float32 along the last axis."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_top_k_rows, _top_k_by_blocks = Function("top_k.top_k_rows"), Function("top_k.top_k_by_blocks")

_MOST = 1 << 15
"""The largest k.  For a larger one, the host sorts the whole row faster."""

_HEAP = 32
"""The largest k for which a heap of k elements is faster than blocks of candidates."""

_BLOCK = 2048
"""The largest k for blocks: selection in a larger block could take too long with the worst pivots."""

_LAST_PLACE = 1 << 31
"""The longest row for blocks, whose keys have 32 bits for the place of an element."""


@kernel("top_k_v2", "cpu", dtype=DType.FLOAT32, slots=("X",), packs=("K",), fallback="host")
def top_k_v2(ctx: PrepareContext) -> KernelFunction | None:
    """The k best elements of each row, best first, and their indices; equal elements keep their order.

    float32[…, n] → float32[…, k] and int64[…, k].  None, so that the host runs the op, for another axis than
    the last, a computed K, an empty X, and a k that is not from 1 to the smaller of n and `_MOST`.
    """
    shape, given = ctx.inputs["X"][0].sizes, ctx.constant("K")
    if given is None and ctx.inputs.get("K"):
        return None
    count = integer(ctx.attrs.integer("k"), given)
    axis = ctx.attrs.integer("axis")
    if not shape or axis not in (-1, len(shape) - 1) or not 0 < count <= min(shape[-1], _MOST) or 0 in shape:
        return None
    rows, size, smallest = math.prod(shape[:-1]), shape[-1], int(not ctx.attrs.flag("largest"))
    in_blocks = _HEAP < count <= _BLOCK and size <= _LAST_PLACE
    function = _top_k_by_blocks if in_blocks else _top_k_rows
    scratch = [ctx.scratch_per_thread(2 * count, np.int64)] if in_blocks else []
    best = function.bind(
        FREE, FREE, FREE, *scratch, size, count, smallest, count=rows, cost=PER_ELEMENT * rows * size
    )
    out_shape = (*shape[:-1], count)

    def run(X: Array, *, out: tuple[Array | None, ...] | None = None) -> tuple[Array, Array]:
        buffers = (*(out or ()), None, None)
        values = np.empty(out_shape, np.float32) if buffers[0] is None else buffers[0]
        indices = np.empty(out_shape, np.int64) if buffers[1] is None else buffers[1]
        best(X, values, indices)
        return values, indices

    return only_launches(run)
