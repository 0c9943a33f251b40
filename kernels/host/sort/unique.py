"""unique and unique_with_counts on the host."""

import numpy as np

from lite.ir.types import DType
from lite.plugin.kernel import Array, kernel


@kernel("unique")
def unique(X: Array, *, axis: list[int], dtype: int, is_sorted: bool) -> tuple[Array, Array, Array, Array]:
    """The different elements of X (slices, along an axis) in ascending order.

    Without `is_sorted`, X is taken as flat and they stand in the order of their first appearance.
    Behind them, in the type `dtype`: which of them each element is, where each is first, how often.
    """
    along = axis[0] if axis and X.ndim and is_sorted else None
    found, first, inverse, counts = np.unique(
        X, return_index=True, return_inverse=True, return_counts=True, axis=along
    )
    inverse = inverse.reshape(-1)
    if not is_sorted:
        order = np.argsort(first)
        found, first, counts = found[order], first[order], counts[order]
        inverse = np.argsort(order)[inverse]
        inverse = inverse.reshape(X.shape)
    index_type = DType.from_code(dtype).numpy
    return found, inverse.astype(index_type), first.astype(index_type), counts.astype(index_type)


@kernel("unique_with_counts")
def unique_with_counts(X: Array, *, dtype: int) -> tuple[Array, Array, Array]:
    """The different elements of X by first appearance, which of them each element is, how often each is."""
    found, inverse, _, counts = unique(X, axis=[], dtype=dtype, is_sorted=False)
    return found, inverse, counts
