"""concat and split for uint8: the integers of quantised values."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.shape.join import column_copies, joined_axis
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel

_copy_columns = Function("byte_moves.copy_columns")


@kernel("concat", "cpu", dtype=DType.UINT8, slots=("X",), fallback="host")
def concat(ctx: PrepareContext) -> KernelFunction | None:
    """Join the tensors of X along an axis."""
    parts, whole = ctx.inputs["X"], ctx.outputs["Out"][0]
    place = joined_axis(ctx, whole)
    if place is None or not all(part.dtype is DType.UINT8 for part in parts):
        return None
    shape = whole.sizes
    jobs = column_copies(_copy_columns, shape, [part.sizes[place] for part in parts], place, is_split=False)

    def run(X: list[Array], *, out: Array | None = None) -> Array:
        joined = np.empty(shape, np.uint8) if out is None else out
        for job, x in zip(jobs, X, strict=True):
            job(x, joined)
        return joined

    return run


@kernel("split", "cpu", dtype=DType.UINT8, slots=("X",), fallback="host")
def split(ctx: PrepareContext) -> KernelFunction | None:
    """Split X along an axis into `num` equal parts, or into parts of `sections` (-1 for the rest)."""
    parts, whole = ctx.outputs["Out"], ctx.inputs["X"][0]
    place = joined_axis(ctx, whole)
    if place is None:
        return None
    shapes = [part.sizes for part in parts]
    sizes = [shape[place] for shape in shapes]
    jobs = column_copies(_copy_columns, whole.sizes, sizes, place, is_split=True)

    def run(X: Array, *, out: list[Array] | None = None) -> list[Array]:
        results = [np.empty(shape, np.uint8) for shape in shapes] if out is None else out
        for job, part in zip(jobs, results, strict=True):
            job(X, part)
        return results

    return run
