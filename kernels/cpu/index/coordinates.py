"""gather_nd, scatter_nd_update, scatter_nd_add and scatter of float32 by int64 coordinates."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.as_int64 import as_int64
from lite.kernels.cpu.index.failures import IndexFailures
from lite.kernels.cpu.index.take_along_axis import WAYS
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_take_nd = Function("index.take_nd")
_put_nd = Function("index.put_nd")

_LEAST_COLUMNS = 64
"""Columns of a slice that are worth a thread."""


@kernel("gather_nd", "cpu", dtype=DType.FLOAT32, fallback="host")
def gather_nd(ctx: PrepareContext) -> KernelFunction | None:
    """The slices of X at the coordinates on the last axis of Index, with `batch_dims` common axes.

    None, so that the host runs the op, for empty tensors.
    """
    x, index = ctx.inputs["X"][0], ctx.inputs["Index"][0]
    wide = None if 0 in (*x.sizes, *index.sizes) else as_int64(ctx, index)
    if wide is None:
        return None
    batch, depth = ctx.attrs.integer("batch_dims"), index.sizes[-1]
    sizes, shape = x.sizes[batch : batch + depth], ctx.outputs["Out"][0].sizes
    indices, width = math.prod(index.sizes[batch:-1]), math.prod(x.sizes[batch + depth :])
    count = math.prod(index.sizes[:-1])
    failures = IndexFailures("Index", sizes)
    take = _take_nd.bind(
        FREE, FREE, FREE, failures.array, np.array(sizes, np.int64), depth, math.prod(sizes), indices, width,
        count=count, cost=PER_ELEMENT * count * (width + depth), grain=max(1, 1024 // width),
    )  # fmt: skip

    def run(X: Array, Index: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        take(X, wide(Index), result)
        return result

    return only_launches(run, failures.error)


@kernel("scatter_nd_update", "cpu", dtype=DType.FLOAT32, fallback="host")
def scatter_nd_update(ctx: PrepareContext) -> KernelFunction | None:
    """X with Updates written at coordinates, or their products; the host has the other reductions."""
    how = WAYS.get(ctx.attrs.text("reduction"))
    return None if how is None else _scatter(ctx, "Index", how)


@kernel("scatter_nd_add", "cpu", dtype=DType.FLOAT32, fallback="host")
def scatter_nd_add(ctx: PrepareContext) -> KernelFunction | None:
    """X with Updates added at coordinates."""
    return _scatter(ctx, "Index", WAYS["add"])


@kernel("scatter", "cpu", dtype=DType.FLOAT32, fallback="host")
def scatter(ctx: PrepareContext) -> KernelFunction | None:
    """X with the rows Ids replaced by those of Updates; the host adds up rows that are repeated."""
    if not ctx.attrs.flag("overwrite"):
        return None
    return _scatter(ctx, "Ids", WAYS["assign"], rows=True)


def _scatter(ctx: PrepareContext, slot: str, how: int, *, rows: bool = False) -> KernelFunction | None:
    """A function that writes Updates at the coordinates of a slot, or, with `rows`, at its row numbers."""
    x, index, updates = (ctx.inputs[each][0] for each in ("X", slot, "Updates"))
    shape, places = x.sizes, index.sizes
    coordinates: Sequence[int] = (math.prod(places), 1) if rows else places
    depth = coordinates[-1]
    count, width = math.prod(coordinates[:-1]), math.prod(shape[depth:])
    if updates.dtype is not DType.FLOAT32 or 0 in (*shape, *places):
        return None
    wide = as_int64(ctx, index) if math.prod(updates.sizes) == count * width else None
    if wide is None:
        return None
    sizes = shape[:depth]
    failures = IndexFailures(slot, sizes)
    put = _put_nd.bind(
        FREE, FREE, FREE, FREE, failures.array, np.array(sizes, np.int64), depth, math.prod(sizes), count,
        width, how,
        count=width, cost=PER_ELEMENT * (math.prod(shape) + 2 * count * width), grain=_LEAST_COLUMNS,
    )  # fmt: skip

    def run(X: Array, Index: Array, Updates: Array, *, out: Array | None = None) -> Array:
        result = np.empty(shape, np.float32) if out is None else out
        put(X, wide(Index), Updates, result)
        return result

    return only_launches(run, failures.error)
