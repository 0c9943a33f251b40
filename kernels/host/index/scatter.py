"""Writing by index: scatter, scatter_nd_*, tensor_scatter, and elements along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lite.plugin.kernel import Array, kernel, write


def _assign(target: Array, indices: tuple[Array, ...], values: Array) -> None:
    target[indices] = values


def _by(function: Callable[[Array, Array], Array]) -> Callable[[Array, tuple[Array, ...], Array], None]:
    at: Callable[[Array, tuple[Array, ...], Array], None] = function.at  # type: ignore[attr-defined]
    return at


UPDATES: dict[str, Callable[[Array, tuple[Array, ...], Array], None]] = {
    "assign": _assign,
    "add": _by(np.add),
    "mul": _by(np.multiply),
    "multiply": _by(np.multiply),
    "amax": _by(np.maximum),
    "amin": _by(np.minimum),
}
"""By the name of the reduction, a function of tensor, indices and values; indices may be repeated."""


@kernel("scatter")
def scatter(X: Array, Ids: Array, Updates: Array, *, overwrite: bool, out: Array | None = None) -> Array:
    """Paddle scatter: X with the rows Ids replaced by the rows of Updates.

    A repeated row becomes the last of its updates or, without `overwrite`, their sum.
    """
    result = _copy(X, out)
    rows = Ids.reshape(-1)
    updates = Updates.reshape(len(rows), *X.shape[1:])
    if overwrite:
        result[rows] = updates
    else:
        result[rows] = 0
        np.add.at(result, rows, updates)
    return result


@kernel("scatter_nd_add")
def scatter_nd_add(X: Array, Index: Array, Updates: Array, *, out: Array | None = None) -> Array:
    """Paddle scatter_nd_add: X with Updates added at the coordinates on the last axis of Index."""
    result = _copy(X, out)
    if Index.shape[-1]:
        np.add.at(result, tuple(np.moveaxis(Index, -1, 0)), Updates)
    else:
        result += Updates.reshape(-1, *X.shape).sum(axis=0, dtype=X.dtype)
    return result


def _copy(x: Array, out: Array | None) -> Array:
    return np.array(x, order="C") if out is None else write(out, x)


@kernel("scatter_nd_update")
def scatter_nd_update(
    X: Array, Index: Array, Updates: Array, *, reduction: str, out: Array | None = None
) -> Array:
    """ONNX ScatterND: X with Updates written or combined at the coordinates on the last axis of Index."""
    result = _copy(X, out)
    if Index.shape[-1]:
        UPDATES[reduction](result, tuple(np.moveaxis(Index, -1, 0)), Updates)
        return result
    # Coordinates without elements all mean the whole tensor, which is one row here.
    rows = result.reshape(1, *X.shape)
    updates = Updates.reshape(-1, *X.shape)
    UPDATES[reduction](rows, (np.zeros(len(updates), np.int64),), updates)
    return result


@kernel("take_along_axis")
def take_along_axis(Input: Array, Index: Array, *, Axis: int, out: Array | None = None) -> Array:
    """Paddle take_along_axis: the element of Input at each position of Index, with the index on `Axis`."""
    return write(out, Input[_indices(Index, Axis)])


@kernel("put_along_axis")
def put_along_axis(
    Input: Array,
    Index: Array,
    Value: Array,
    *,
    Axis: int,
    Reduce: str,
    Include_self: bool = True,
    out: Array | None = None,
) -> Array:
    """Paddle put_along_axis: Input with each of Value at its position, with the index on `Axis`.

    The reduction combines the element that is there, unless not `Include_self`, with Value; "assign" keeps
    the last value.
    """
    result = _copy(Input, out)
    places, values = _indices(Index, Axis), np.broadcast_to(Value, Index.shape)
    if not Include_self and Reduce != "assign":
        result[places] = _first_value(Reduce, result.dtype)
    if Reduce == "mean":
        counts = np.full(result.shape, int(Include_self), np.int64)
        np.add.at(counts, places, 1)
        np.add.at(result, places, values)
        np.divide(result, np.maximum(counts, 1), out=result, casting="unsafe")
    else:
        UPDATES[Reduce](result, places, values)
    return result


def _first_value(reduction: str, dtype: np.dtype[Any]) -> Any:
    """The number that a reduction without the element that is there begins with."""
    if reduction in ("add", "mean"):
        return 0
    if reduction in ("mul", "multiply"):
        return 1
    limits = np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype)
    return limits.min if reduction == "amax" else limits.max


def _indices(index: Array, axis: int) -> tuple[Array, ...]:
    indices = list(np.ogrid[tuple(slice(size) for size in index.shape)])
    indices[axis] = index
    return tuple(indices)


@kernel("tensor_scatter")
def tensor_scatter(
    X: Array, Updates: Array, Starts: Array | None, *, axis: int, mode: str, out: Array | None = None
) -> Array:
    """ONNX TensorScatter: X with Updates along an axis, for each sample from its element of Starts on.

    Without Starts all begin at 0.  In mode "circular" positions wrap at the end; in mode "linear" raises
    `IndexError` for positions beyond it.
    """
    result = _copy(X, out)
    starts = np.zeros(len(X), np.int64) if Starts is None else Starts
    size, count = X.shape[axis], Updates.shape[axis]
    for sample, start in enumerate(starts.tolist()):
        if start < 0 or (mode == "linear" and start + count > size):
            raise IndexError(f"Starts: expected at least 0 and at most {size - count}, got {start}")
        positions = np.arange(start, start + count) % size
        within = axis - 1 if axis > 0 else axis
        np.moveaxis(result[sample], within, 0)[positions] = np.moveaxis(Updates[sample], within, 0)
    return result


@kernel("cache_append")
def cache_append(
    X: Array, Updates: Array, Starts: Array, Length: Array, *, out: Array | None = None
) -> Array:
    """The first ``Starts[i]`` rows of sample i in X, then Updates, then zeros.

    All are ``[batch, heads, rows, size]``.  There are as many rows as Length says, or as X has if these are
    more; what does not fit is left out.  Where `out` is X itself, only the new rows are written.
    """
    rows = max(X.shape[2], int(Length.reshape(-1)[0]))
    cache = out if out is not None and np.may_share_memory(out, X) else None
    result = np.zeros((*Updates.shape[:2], rows, Updates.shape[3]), X.dtype) if cache is None else cache
    for sample, start in enumerate(np.clip(Starts, 0, rows).tolist()):
        if cache is None:
            kept = X[sample, :, :start]
            result[sample, :, : kept.shape[1]] = kept
        added = Updates[sample, :, : rows - start]
        result[sample, :, start : start + added.shape[1]] = added
    return write(out, result)
