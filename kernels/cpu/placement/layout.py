"""layout: images from NCHW to NHWC and back."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType, Layout
from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.native.job import FREE, Job
from lite.ops.image_layout import RANK, array_into
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel, write
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_transpose_axes = Function("moves.transpose.transpose_axes")
_copy_columns = Function("moves.layout.copy_columns")
_transpose_bytes, _copy_bytes = (
    Function("moves.byte_layout.transpose_images"),
    Function("moves.byte_moves.copy_columns"),
)

_GRAIN = 512
"""Columns of a work item that transposes bytes."""


def _prepare(ctx: PrepareContext) -> KernelFunction | None:
    shape, to = ctx.outputs["Out"][0].sizes, Layout(ctx.attrs.text("to"))
    dtype = ctx.inputs["X"][0].dtype
    if len(shape) != RANK or 0 in shape or dtype not in (DType.FLOAT32, DType.UINT8):
        return None
    batch, rows, columns = _matrices(shape, to)
    # The elements of a matrix with one row or column keep their order.
    is_moved = rows > 1 and columns > 1
    job = transposition(batch, rows, columns, dtype) if is_moved else _copy(batch * rows * columns, dtype)

    def run(X: Array, *, out: Array | None = None) -> Array:
        moved = np.empty(shape, dtype.numpy) if out is None else out
        job(X, moved)
        return moved

    return only_launches(run)


def _copy(size: int, dtype: DType) -> Job:
    copy = _copy_bytes if dtype is DType.UINT8 else _copy_columns
    return copy.bind(FREE, FREE, size, size, 0, size, 0, cost=PER_ELEMENT * size)


def _matrices(shape: Sequence[int], to: Layout) -> tuple[int, int, int]:
    """The number of matrices to transpose for an image of this shape, and their rows and columns."""
    batch, *sizes = shape
    channels = sizes[2] if to is Layout.NHWC else sizes[0]
    pixels = math.prod(sizes) // channels
    return (batch, channels, pixels) if to is Layout.NHWC else (batch, pixels, channels)


def transposition(batch: int, rows: int, columns: int, dtype: DType = DType.FLOAT32) -> Job:
    """The job that transposes `batch` matrices."""
    from lite.kernels.cpu.tile_sizes import TRANSPOSED

    size = rows * columns
    if dtype is DType.UINT8:
        return _transpose_bytes.bind(
            FREE,
            FREE,
            batch,
            rows,
            columns,
            count=columns,
            cost=PER_ELEMENT * batch * size // 4,
            grain=_GRAIN,
        )
    return _transpose_axes.bind(
        FREE, FREE, 1, batch, 0, 0, size, 0, 0, size, rows, columns, columns, rows,
        count=batch * -(-max(rows, columns) // TRANSPOSED), cost=PER_ELEMENT * batch * size,
    )  # fmt: skip


@kernel("layout", "cpu", dtype=DType.FLOAT32, prepare=_prepare)
def layout(X: Array | None, *, to: str, out: Array | None = None) -> Array | None:
    """An image of rank 4 with its axes in the other order, as a contiguous array."""
    if X is None:
        return None
    moved = array_into(X, Layout(to))
    is_plain = X.ndim != RANK or X.dtype != np.float32
    if is_plain or moved.shape[1] * moved.shape[2] <= 1 or moved.shape[3] <= 1 or not X.size:
        return np.array(moved, order="C") if out is None else write(out, moved)
    result = np.empty(moved.shape, np.float32) if out is None else out
    transposition(*_matrices(moved.shape, Layout(to)))(X, result)
    return result
