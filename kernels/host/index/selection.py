"""Elements picked, repeated or replaced by masks and lists of indices."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array, kernel, write


@kernel("masked_select")
def masked_select(X: Array, Mask: Array) -> Array:
    """Paddle masked_select: the elements of X where Mask holds; the shapes broadcast."""
    x, mask = np.broadcast_arrays(X, Mask) if X.shape != Mask.shape else (X, Mask)
    return x[mask]


@kernel("masked_fill")
def masked_fill(x: Array, mask: Array, value: Array, *, out: Array | None = None) -> Array:
    """Paddle masked_fill: `value`, which broadcasts, where `mask` holds, else x."""
    return write(out, np.where(mask, value.astype(x.dtype, copy=False), x))


@kernel("index_put")
def index_put(x: Array, indices: list[Array], value: Array, *, accumulate: bool) -> Array:
    """Paddle index_put: x with `value` at ``x[indices]``, each an integer array or a mask.

    With `accumulate`, value is added, for each time that an element is named.
    """
    result, places = x.copy(), tuple(indices)
    numbers = value.astype(x.dtype, copy=False)
    if accumulate:
        np.add.at(result, places, numbers)
    else:
        result[places] = numbers
    return result


@kernel("index_add")
def index_add(X: Array, Index: Array, AddValue: Array, *, axis: int) -> Array:
    """Paddle index_add: X with AddValue added to its slices at ``Index[n]`` along an axis."""
    result = X.copy()
    np.add.at(np.moveaxis(result, axis, 0), Index.reshape(-1), np.moveaxis(AddValue, axis, 0))
    return result


@kernel("index_sample")
def index_sample(X: Array, Index: Array, *, out: Array | None = None) -> Array:
    """Paddle index_sample: elements of each row of ``X[n, m]`` at the columns ``Index[n, k]``."""
    return write(out, np.take_along_axis(X, Index, axis=1))


@kernel("multiplex")
def multiplex(X: list[Array], Ids: Array) -> Array:
    """Paddle multiplex: row i of the result is row i of ``X[Ids[i]]``."""
    ids = Ids.reshape(-1)
    return np.stack([source[: len(ids)] for source in X])[ids, np.arange(len(ids))]


_MOST_REPEATED = 1 << 31
"""The most elements that repeats, which a damaged model may have by the billion, may make."""


@kernel("repeat_interleave")
def repeat_interleave(X: Array, RepeatsTensor: Array | None, *, Repeats: int, dim: int) -> Array:
    """Paddle repeat_interleave: each slice along an axis (or each element) several times."""
    repeats = np.array([Repeats]) if RepeatsTensor is None else RepeatsTensor.reshape(-1)
    flat = dim == -(2**31)
    x, axis = (X.reshape(-1), 0) if flat else (X, dim)
    count = int(repeats.sum()) * (x.shape[axis] if len(repeats) == 1 else 1)
    if (repeats < 0).any() or count * x.size > _MOST_REPEATED * max(x.shape[axis], 1):
        raise ValueError(f"repeats: expected numbers from 0, for at most {_MOST_REPEATED:,} elements")
    return np.repeat(x, repeats, axis)


@kernel("broadcast_tensors")
def broadcast_tensors(X: list[Array]) -> list[Array]:
    """Paddle broadcast_tensors: copies of the tensors in their common shape."""
    return [array.copy() for array in np.broadcast_arrays(*X)]


@kernel("shard_index")
def shard_index(
    X: Array, *, index_num: int, nshards: int, shard_id: int, ignore_value: int, out: Array | None = None
) -> Array:
    """Paddle shard_index: ids of shard `shard_id` counted from its first one; others are `ignore_value`."""
    size = -(-index_num // nshards)
    return write(out, np.where(X // size == shard_id, X % size, ignore_value).astype(X.dtype, copy=False))
