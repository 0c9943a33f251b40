"""Gather and scatter."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.ir.types import Array
from lite.tools.fuzz.draw import INDICES, Draw, Value, row
from lite.tools.fuzz.ops.shape import axis_of

_MOST = ("float32", "int64", "int32", "bool")


def _indices(d: Draw, shape: tuple[int, ...], size: int, dtype: str | None = None) -> Array:
    low = -size if d.chance(0.3) else 0
    rng = np.random.default_rng(d.random.randrange(2**32))
    return rng.integers(low, size, shape).astype(dtype or d.pick(INDICES))


@row(0.8)
def gather(d: Draw) -> None:
    """Gather with indices of rank 0 to 3."""
    x = d.value(_MOST, low=1, where=lambda v: 0 not in v.shape)
    axis = axis_of(d, x)
    indices = d.fresh(_indices(d, d.dims(d.integer(0, 2)), x.shape[axis]))
    attrs: dict[str, Any] = {} if axis == 0 and d.chance(0.5) else {"axis": axis}
    d.node("Gather", [x, indices], **attrs)


@row(0.4)
def gather_elements(d: Draw) -> None:
    """GatherElements."""
    x = d.value(_MOST, low=1, where=lambda v: 0 not in v.shape)
    axis = axis_of(d, x)
    shape = tuple(d.integer(1, 4) if n == axis % x.rank else size for n, size in enumerate(x.shape))
    d.node("GatherElements", [x, d.fresh(_indices(d, shape, x.shape[axis]))], axis=axis)


@row(0.4)
def gather_nd(d: Draw) -> None:
    """GatherND, with batch dimensions."""
    x = d.value(_MOST, low=1, where=lambda v: 0 not in v.shape)
    depth = d.integer(1, x.rank)
    batch = d.integer(0, depth - 1) if d.opset >= 12 and d.chance(0.3) else 0
    lead = (*x.shape[:batch], *d.dims(d.integer(0 if batch else 1, 2), 1, 3))
    columns = [_indices(d, lead, x.shape[batch + n], "int64") for n in range(depth - batch)]
    attrs: dict[str, Any] = {"batch_dims": batch} if batch else {}
    # Batches of other sizes, which no engine has to refuse, mean nothing.
    x = d.input(x.array, is_fixed=True) if batch else x
    indices = d.constant(np.stack(columns, -1)) if batch else d.fresh(np.stack(columns, -1))
    d.node("GatherND", [x, indices], **attrs)


def _reduction(d: Draw, x: Value) -> dict[str, Any]:
    if d.opset < 16 or not x.dtype.startswith(("float", "int")) or d.chance(0.5):
        return {}
    return {"reduction": d.pick(("add", "mul", *(("max", "min") if d.opset >= 18 else ())))}


@row(0.35)
def scatter_elements(d: Draw) -> None:
    """ScatterElements, without repeated indices unless it reduces."""
    x = d.value(("float32", "int64"), low=1, where=lambda v: 0 not in v.shape)
    axis = axis_of(d, x)
    shape = tuple(d.integer(1, size) for size in x.shape)
    attrs = _reduction(d, x)
    size = x.shape[axis]
    if attrs:
        indices = _indices(d, shape, size)
    else:
        rng = np.random.default_rng(d.random.randrange(2**32))
        count = shape[axis % x.rank]
        moved = np.stack(
            [rng.permutation(size)[:count] for _ in range(int(np.prod(shape)) // count)]
        ).reshape([*(n for k, n in enumerate(shape) if k != axis % x.rank), count])
        indices = np.moveaxis(moved, -1, axis % x.rank).astype("int64")
    d.node(
        "ScatterElements" if d.opset >= 11 else "Scatter",
        [x, d.fresh(indices), d.fresh(d.array(shape, x.dtype))],
        axis=axis,
        **attrs,
    )


@row(0.35)
def scatter_nd(d: Draw) -> None:
    """ScatterND of single elements and of slices."""
    x = d.value(("float32", "int64"), low=1, where=lambda v: 0 not in v.shape)
    depth = d.integer(1, x.rank)
    attrs = _reduction(d, x)
    cells = int(np.prod(x.shape[:depth]))
    count = d.integer(1, min(cells, 4))
    rng = np.random.default_rng(d.random.randrange(2**32))
    chosen = rng.integers(0, cells, count) if attrs else rng.permutation(cells)[:count]
    indices = np.stack(np.unravel_index(chosen, x.shape[:depth]), -1).astype("int64")
    d.node("ScatterND", [x, d.fresh(indices), d.fresh(d.array((count, *x.shape[depth:]), x.dtype))], **attrs)
