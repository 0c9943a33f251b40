"""top_k_v2 on the host."""

import numpy as np

from lite.kernels.host.sort.argsort import descending_keys
from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel

_PARTITION_FROM = 8
"""Sorting everything is not worth it when the axis is this many times as long as what is wanted."""


@kernel("top_k_v2")
def top_k_v2(X: Array, K: Array | None, *, k: int, axis: int, largest: bool) -> tuple[Array, Array]:
    """The k largest (or smallest) elements along an axis, best first, and where they were (int64).

    Of equal elements, the first is better.
    """
    if not X.ndim:
        return X.copy(), np.zeros((), np.int64)
    values = np.moveaxis(X, axis, -1)
    indices = _first(descending_keys(values) if largest else values, integer(k, K))
    best = np.take_along_axis(values, indices, axis=-1)
    return tuple(np.moveaxis(part, -1, axis).copy() for part in (best, indices.astype(np.int64, copy=False)))  # type: ignore[return-value]


def _first(keys: Array, count: int) -> Array:
    """Indices of the `count` least keys on the last axis, in order, equal ones by index."""
    if keys.shape[-1] >= _PARTITION_FROM * count:
        chosen = np.sort(np.argpartition(keys, count - 1, axis=-1)[..., :count], axis=-1)
        found = np.take_along_axis(keys, chosen, axis=-1)
        clear = (keys <= found.max(axis=-1, keepdims=True)).sum(axis=-1) == count
        if clear.all():
            order = np.argsort(found, axis=-1, kind="stable")
            return np.take_along_axis(chosen, order, axis=-1)
    return np.argsort(keys, axis=-1, kind="stable")[..., :count]
