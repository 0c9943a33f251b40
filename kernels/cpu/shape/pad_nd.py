"""pad_nd of float32 with known borders."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.ops.ranges import pad_pairs
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_pad_rows = Function("moves.pad.pad_rows")


@kernel("pad_nd", "cpu", dtype=DType.FLOAT32, slots=("X",), packs=("Value",), fallback="host")
def pad_nd(ctx: PrepareContext) -> KernelFunction | None:
    """Rows along the last axis with a border, whose sources are computed once."""
    shape, out_shape = ctx.inputs["X"][0].sizes, ctx.outputs["Out"][0].sizes
    given = ctx.constant("Value")
    is_computed = ctx.inputs.get("Paddings") or ctx.inputs.get("Axes")
    if is_computed or (given is None and ctx.inputs.get("Value")) or 0 in (*shape, *out_shape):
        return None
    value = float(given.reshape(-1)[0]) if given is not None and given.size else ctx.attrs.real("value")
    sources = _sources(ctx, shape)
    last = max((n for n, source in enumerate(sources) if source is not None), default=-1)
    if last < 0:
        return None
    columns = sources[last]
    assert columns is not None
    inner, rows = math.prod(shape[last + 1 :]), _rows(sources[:last], shape[:last])
    start, stop = _middle(columns)
    job = _pad_rows.bind(
        FREE, FREE, rows, columns, value, shape[last], inner, start, stop, len(columns),
        count=len(rows), cost=PER_ELEMENT * math.prod(out_shape),
    )  # fmt: skip

    def run(X: Array, *, out: Array | None = None) -> Array:
        result = np.empty(out_shape, np.float32) if out is None else out
        job(X, result)
        return result

    return only_launches(run)


def _sources(ctx: PrepareContext, shape: Sequence[int]) -> list[Array | None]:
    """For each axis, the source of each of its elements, -1 for a constant; None without a border."""
    pairs, mode = pad_pairs(ctx.attrs.integers("paddings")), ctx.attrs.text("mode")
    sources: list[Array | None] = [None] * len(shape)
    for n, axis in enumerate(ctx.attrs.integers("axes") or range(len(shape))):
        before, after = pairs[2 * n : 2 * n + 2]
        if before or after:
            sources[axis] = _source(shape[axis], before, after, mode)
    return sources


def _source(size: int, before: int, after: int, mode: str) -> Array:
    places = np.arange(-before, size + after)
    if mode == "constant":
        return np.where((places < 0) | (places >= size), -1, places)
    if mode == "edge":
        return np.clip(places, 0, size - 1)
    if mode == "wrap":
        return places % size
    period = max(2 * (size - 1), 1)
    places = places % period
    return np.minimum(places, period - places) if size > 1 else np.zeros_like(places)


def _rows(sources: Sequence[Array | None], shape: Sequence[int]) -> Array:
    """The source row of each row of the result; -1 for a row of constants."""
    rows = np.zeros(1, np.int64)
    for source, size in zip(sources, shape, strict=True):
        places = np.arange(size) if source is None else source
        whole = rows[:, None] * size + places
        rows = np.where((rows[:, None] < 0) | (places < 0), -1, whole).reshape(-1)
    return rows


def _middle(columns: Array) -> tuple[int, int]:
    """The longest range of columns that are neighbours in the source; empty only where all are constants."""
    edges = np.flatnonzero((np.diff(columns) != 1) | (columns[:-1] < 0)) + 1
    edges = np.concatenate([[0], edges, [len(columns)]])
    lengths = np.where(columns[edges[:-1]] < 0, 0, np.diff(edges))
    longest = int(np.argmax(lengths))
    return int(edges[longest]), int(edges[longest] + lengths[longest])
