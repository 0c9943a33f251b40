"""argsort, top_k_v2, unique and unique_with_counts by numpy."""

import numpy as np

from lite.ir.types import DType
from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel


def descending_keys(x: Array) -> Array:
    """Keys whose stable ascending order is the descending order of `x`; equal elements have equal keys."""
    return -x if x.dtype.kind not in "iub" else ~x


@kernel("argsort")
def argsort(X: Array, *, axis: int, descending: bool) -> tuple[Array, Array]:
    """Paddle argsort: X sorted along an axis, and the indices (int64); equal elements keep their order."""
    if not X.ndim:
        return X.copy(), np.zeros((), np.int64)
    indices = np.argsort(descending_keys(X) if descending else X, axis=axis, kind="stable")
    return np.take_along_axis(X, indices, axis=axis), indices.astype(np.int64, copy=False)


_PARTITION_FROM = 8
"""An axis of at least this many times k elements is partitioned before sorting."""


@kernel("top_k_v2")
def top_k_v2(X: Array, K: Array | None, *, k: int, axis: int, largest: bool) -> tuple[Array, Array]:
    """Paddle top_k_v2: the k largest (or smallest) elements along an axis, best first, with indices (int64).

    Of equal elements, those with lower indices come first.
    """
    if not X.ndim:
        return X.copy(), np.zeros((), np.int64)
    values = np.moveaxis(X, axis, -1)
    indices = _first(descending_keys(values) if largest else values, integer(k, K))
    best = np.take_along_axis(values, indices, axis=-1)
    return tuple(np.moveaxis(part, -1, axis).copy() for part in (best, indices.astype(np.int64, copy=False)))  # type: ignore[return-value]


def _first(keys: Array, count: int) -> Array:
    """Indices of the `count` least keys along the last axis, by ascending key, then by ascending index."""
    if count and keys.size and keys.shape[-1] >= _PARTITION_FROM * count:
        last = np.partition(keys, count - 1, axis=-1)[..., count - 1 : count]
        if (last == last).all():  # keys do not compare with NaN
            chosen = _up_to(keys, last, count)
            least = np.take_along_axis(keys, chosen, axis=-1)
            return np.take_along_axis(chosen, np.argsort(least, axis=-1, kind="stable"), axis=-1)
    return np.argsort(keys, axis=-1, kind="stable")[..., :count]


def _up_to(keys: Array, last: Array, count: int) -> Array:
    """The indices of the `count` least keys, of which `last` is the largest, in ascending order.

    Of keys that equal the last one, those with lower indices are taken.
    """
    taken = keys <= last
    extra = np.count_nonzero(taken, axis=-1, keepdims=True) - count
    if extra.any():
        equal = keys == last
        # Of the equal keys, the last `extra` ones are one too many.
        after = np.cumsum(equal[..., ::-1], axis=-1, dtype=np.int32)[..., ::-1]
        taken &= ~(equal & (after <= extra))
    return np.nonzero(taken)[-1].reshape(*keys.shape[:-1], count)


_MOST_EMPTY_SLICES = 1 << 20
"""A tensor without elements, which takes no memory, may have any number of slices."""


@kernel("unique")
def unique(X: Array, *, axis: list[int], dtype: int, is_sorted: bool) -> tuple[Array, Array, Array, Array]:
    """Paddle unique: the distinct elements of X, or its distinct slices along an axis, in ascending order.

    Without `is_sorted`, X is flattened, and the distinct elements are in order of their first occurrence.
    The other results have the type `dtype`: for each element (or slice) of X, the index of the distinct one
    that equals it; for each distinct one, its first index in X; and its count.
    """
    along = axis[0] if axis and X.ndim and is_sorted else None
    if along is not None and not X.size and X.shape[along] > _MOST_EMPTY_SLICES:
        raise ValueError(f"X: expected at most {_MOST_EMPTY_SLICES:,} slices without elements, got {X.shape}")
    distinct, first, inverse, counts = np.unique(
        X, return_index=True, return_inverse=True, return_counts=True, axis=along
    )
    inverse = inverse.reshape(-1)
    if not is_sorted:
        order = np.argsort(first)
        distinct, first, counts = distinct[order], first[order], counts[order]
        inverse = np.argsort(order)[inverse]
        inverse = inverse.reshape(X.shape)
    index_type = DType.from_code(dtype).numpy
    return distinct, inverse.astype(index_type), first.astype(index_type), counts.astype(index_type)


@kernel("unique_with_counts")
def unique_with_counts(X: Array, *, dtype: int) -> tuple[Array, Array, Array]:
    """Paddle unique_with_counts: the distinct elements of ``X[n]`` in order of first occurrence.

    The other results have the type `dtype`: for each element of X, the index of the distinct element that
    equals it; and the count of each distinct element.
    """
    distinct, inverse, _, counts = unique(X, axis=[], dtype=dtype, is_sorted=False)
    return distinct, inverse, counts
