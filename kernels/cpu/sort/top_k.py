"""top_k_v2 along the last axis, and along a short one before others."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.element_types import BYTES, ELEMENT_TYPES
from lite.kernels.cpu.native.function import FREE, Function
from lite.kernels.cpu.native.job import Job
from lite.ops.shape_input import integer
from lite.ops.view import Meta
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_top_k_rows, _top_k_by_blocks = (
    Function("sorting.top_k.top_k_rows"),
    Function("sorting.top_k.top_k_by_blocks"),
)
_top_k_columns = Function("sorting.top_k_columns.top_k_columns")
_top_k_by_digits = Function("sorting.top_k.top_k_by_digits")
_top_k_of_elements = Function("sorting.top_k.top_k_of_elements")

_MOST = 1 << 15
"""The largest k of rows that are not sorted whole.  For a larger one, the host is faster."""

_LONGEST_SORTED = 1 << 20
"""The longest row that is sorted whole, in twice as many words of scratch memory."""

_HEAP = 32
"""The largest k for which a heap of k elements is faster than blocks of candidates."""

_BLOCK = 2048
"""The largest k for blocks: selection in a larger block could take too long with the worst pivots."""

_LAST_PLACE = 1 << 31
"""The longest row for blocks, whose keys have 32 bits for the place of an element."""


_MOST_OF_ELEMENTS = 256
"""The largest k of other types than float32.  For a larger one, the host sorts the whole row faster."""

_LONGEST_COLUMN = 64
"""The longest axis before others.  Along a longer one, the host sorts faster."""


def top_k_v2(ctx: PrepareContext) -> KernelFunction | None:
    """The k best elements of each row, best first, and their indices; equal elements keep their order.

    T[…, n] → T[…, k] and int64[…, k]; of float32 also along another axis, if it is short.  None, so that the
    host runs the op, for other axes, a computed K, an empty X, and a k that is not from 1 to the smaller of n
    and the largest for the type.
    """
    [x], given = ctx.inputs["X"], ctx.constant("K")
    if given is None and ctx.inputs.get("K"):
        return None
    shape, kept = x.sizes, integer(ctx.attrs.integer("k"), given)
    if not shape or 0 in shape:
        return None
    axis = ctx.attrs.integer("axis") % len(shape)
    best = _job(ctx, x, axis, kept) if 0 < kept <= shape[axis] else None
    if best is None:
        return None
    out_shape, dtype = ctx.outputs["Out"][0].sizes, x.dtype.numpy

    def run(X: Array, *, out: tuple[Array | None, ...] | None = None) -> tuple[Array, Array]:
        buffers = (*(out or ()), None, None)
        values = np.empty(out_shape, dtype) if buffers[0] is None else buffers[0]
        indices = np.empty(out_shape, np.int64) if buffers[1] is None else buffers[1]
        best(X, values, indices)
        return values, indices

    return only_launches(run)


def _job(ctx: PrepareContext, x: Meta, axis: int, kept: int) -> Job | None:
    columns, rows, is_single = math.prod(x.sizes[axis + 1 :]), x.sizes[: axis + 1], x.dtype is DType.FLOAT32
    if columns > 1:
        is_short = is_single and rows[-1] <= _LONGEST_COLUMN
        return _of_columns(ctx, rows, columns, kept) if is_short else None
    if is_single:
        return _of_float32(ctx, rows, kept)
    return _of_elements(ctx, rows, x.dtype, kept) if kept <= _MOST_OF_ELEMENTS else None


def _of_float32(ctx: PrepareContext, shape: tuple[int, ...], kept: int) -> Job | None:
    rows, size, smallest = math.prod(shape[:-1]), shape[-1], int(not ctx.attrs.flag("largest"))
    cost = PER_ELEMENT * rows * size
    if size <= _LONGEST_SORTED and (kept > _BLOCK or (kept > _HEAP and size <= 4 * kept)):
        from lite.kernels.cpu.lengths.sorting import DIGITS

        keys = ctx.scratch_per_thread(2 * size + 4 * DIGITS, np.int64)
        return _top_k_by_digits.bind(FREE, FREE, FREE, keys, size, kept, smallest, count=rows, cost=4 * cost)
    if _HEAP < kept <= _BLOCK and size <= _LAST_PLACE:
        keys = ctx.scratch_per_thread(2 * kept, np.int64)
        return _top_k_by_blocks.bind(FREE, FREE, FREE, keys, size, kept, smallest, count=rows, cost=cost)
    if kept > _MOST:
        return None
    return _top_k_rows.bind(FREE, FREE, FREE, size, kept, smallest, count=rows, cost=cost)


def _of_columns(ctx: PrepareContext, shape: tuple[int, ...], columns: int, kept: int) -> Job:
    from lite.kernels.cpu.tile_sizes import LANES

    matrices, size, smallest = math.prod(shape[:-1]), shape[-1], int(not ctx.attrs.flag("largest"))
    best = ctx.scratch_per_thread(2 * (kept + 1) * LANES)
    return _top_k_columns.bind(
        FREE, FREE, FREE, best, size, columns, kept, smallest, count=matrices * -(-columns // LANES),
        cost=kept * PER_ELEMENT * matrices * size * columns,
    )  # fmt: skip


def _of_elements(ctx: PrepareContext, shape: tuple[int, ...], dtype: DType, kept: int) -> Job:
    rows, size, smallest = math.prod(shape[:-1]), shape[-1], int(not ctx.attrs.flag("largest"))
    kind, ranks = ELEMENT_TYPES[dtype], ctx.scratch_per_thread(kept, np.int64)
    return _top_k_of_elements.bind(
        FREE, FREE, FREE, ranks, size, kept, smallest, kind, BYTES[kind],
        count=rows, cost=4 * PER_ELEMENT * rows * size,
    )  # fmt: skip


for _dtype in ELEMENT_TYPES:
    kernel("top_k_v2", "cpu", dtype=_dtype, slots=("X",), packs=("K",), fallback="host")(top_k_v2)
