"""make_array, insert_to_array, erase_from_array, array_element and split_to_array on the host."""

from __future__ import annotations

import numpy as np

from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel


@kernel("make_array")
def make_array(X: list[Array] | None, *, dtype: int) -> list[Array]:
    """The tensors as an array; `dtype` is the element type of an empty one."""
    return [np.array(element) for element in X or ()]


@kernel("insert_to_array")
def insert_to_array(X: list[Array], Item: Array, Position: Array | None) -> list[Array]:
    """The array with Item before Position, at the end without one."""
    at = len(X) if Position is None else _position(Position, len(X), len(X))
    return [*X[:at], np.array(Item), *X[at:]]


@kernel("erase_from_array")
def erase_from_array(X: list[Array], Position: Array | None) -> list[Array]:
    """The array without the element at Position, without the last one where no Position is given."""
    at = _position(np.array(-1) if Position is None else Position, len(X), len(X) - 1)
    return [*X[:at], *X[at + 1 :]]


@kernel("array_element")
def array_element(X: list[Array], Position: Array) -> Array:
    """A copy of the element at Position."""
    return X[_position(Position, len(X), len(X) - 1)].copy()


@kernel("split_to_array")
def split_to_array(X: Array, Split: Array | None, *, axis: int, keepdims: int) -> list[Array]:
    """Pieces of X along an axis, of the sizes Split or all of that size.

    Without Split these are rows, which lose the axis where `keepdims` is 0.
    """
    length = X.shape[axis]
    sizes = np.array(1) if Split is None else Split
    if sizes.ndim == 0:
        if sizes < 1:
            raise ValueError(f"Split: expected a size from 1, got {sizes}")
        ends = np.arange(int(sizes), length, int(sizes))
    elif sizes.sum() != length or (sizes < 0).any():
        raise ValueError(f"Split: expected sizes that add up to {length}, got {sizes.tolist()}")
    else:
        ends = np.cumsum(sizes)[:-1]
    pieces = [piece.copy() for piece in np.split(X, ends, axis)] if length else []
    return pieces if Split is not None or keepdims else [piece.squeeze(axis) for piece in pieces]


def _position(position: Array, length: int, last: int) -> int:
    """Counted from the front, checked to be at most `last`."""
    at = integer(0, position)
    if not -length <= at <= last:
        raise IndexError(f"Position: expected one from {-length} to {last}, got {at}")
    return at + length if at < 0 else at
