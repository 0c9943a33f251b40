"""Writing by index: the ops named scatter, tensor_scatter, put_along_axis, and take_along_axis."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lite.plugin.kernel import Array, kernel, write


def _assign(target: Array, places: tuple[Array, ...], values: Array) -> None:
    target[places] = values


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
"""By the name of the reduction: changes a tensor at places that may be named more than once."""


@kernel("scatter")
def scatter(X: Array, Ids: Array, Updates: Array, *, overwrite: bool, out: Array | None = None) -> Array:
    """X with the rows that Ids name replaced by those of Updates.

    A row named twice becomes the last of its updates, or the sum of all of them without `overwrite`.
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
    """X with each of Updates added where the vector on the last axis of Index points."""
    result = _copy(X, out)
    if Index.shape[-1]:
        np.add.at(result, tuple(np.moveaxis(Index, -1, 0)), Updates)
    else:
        result += Updates.reshape(-1, *X.shape).sum(axis=0, dtype=X.dtype)
    return result


def _copy(x: Array, out: Array | None) -> Array:
    if out is None:
        return np.array(x, order="C")
    if out is not x:
        out[...] = x
    return out


@kernel("scatter_nd_update")
def scatter_nd_update(
    X: Array, Index: Array, Updates: Array, *, reduction: str, out: Array | None = None
) -> Array:
    """X with each of Updates where the vector on the last axis of Index points, joined by the reduction."""
    result = np.array(X, order="C") if out is None else write(out, X)
    if Index.shape[-1]:
        UPDATES[reduction](result, tuple(np.moveaxis(Index, -1, 0)), Updates)
        return result
    # Vectors without elements all point at the whole tensor, which here is one row.
    rows = result.reshape(1, *X.shape)
    updates = Updates.reshape(-1, *X.shape)
    UPDATES[reduction](rows, (np.zeros(len(updates), np.int64),), updates)
    return result


@kernel("take_along_axis")
def take_along_axis(Input: Array, Index: Array, *, Axis: int, out: Array | None = None) -> Array:
    """Each element is that of Input at its own place, but on `Axis` at the place that Index says."""
    return write(out, Input[_places(Index, Axis)])


@kernel("put_along_axis")
def put_along_axis(
    Input: Array, Index: Array, Value: Array, *, Axis: int, Reduce: str, out: Array | None = None
) -> Array:
    """Input with each of Value at its own place, but on `Axis` at the place that Index says.

    What is there takes part in the reduction; with "assign", the last value for a place counts.
    """
    result = np.array(Input, order="C") if out is None else write(out, Input)
    UPDATES[Reduce](result, _places(Index, Axis), np.broadcast_to(Value, Index.shape))
    return result


def _places(index: Array, axis: int) -> tuple[Array, ...]:
    places = list(np.ogrid[tuple(slice(size) for size in index.shape)])
    places[axis] = index
    return tuple(places)


@kernel("tensor_scatter")
def tensor_scatter(
    X: Array, Updates: Array, Starts: Array | None, *, axis: int, mode: str, out: Array | None = None
) -> Array:
    """X with Updates along an axis, for each of the batch from its start on (ONNX TensorScatter).

    Without Starts all begin at 0.  In mode "circular" what reaches beyond the end goes to the front.
    Raises `IndexError` where it reaches beyond in mode "linear".
    """
    result = np.array(X, order="C") if out is None else write(out, X)
    starts = np.zeros(len(X), np.int64) if Starts is None else Starts
    size, count = X.shape[axis], Updates.shape[axis]
    for sample, start in enumerate(starts.tolist()):
        if start < 0 or (mode == "linear" and start + count > size):
            raise IndexError(f"Starts: expected at least 0 and at most {size - count}, got {start}")
        places = np.arange(start, start + count) % size
        np.moveaxis(result[sample], axis - 1 if axis > 0 else axis, 0)[places] = np.moveaxis(
            Updates[sample], axis - 1 if axis > 0 else axis, 0
        )
    return result
