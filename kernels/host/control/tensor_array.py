"""Tensor arrays on the host: lists of arrays.  Versions of an array share what they have in common."""

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.types import NO_LOD, Lod
from lite.ops.array_lod import array_lod, element_lods
from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel

Lods = Mapping[str, Sequence[Lod]]


@kernel("create_array")
def create_array() -> list[Array]:
    """An empty tensor array."""
    return []


@kernel("uninitialized")
def uninitialized() -> None:
    """No value: a branch or loop writes the variable before anything reads it."""
    return


@kernel("write_to_array")
def write_to_array(
    X: Array,
    I: Array,  # noqa: E741 - Paddle's name
    Array: list[Array] | None,
    *,
    lods: Lods,
) -> tuple[list[Array], Lods]:
    """A new list with a copy of X at I; it grows up to there, with empty tensors in between."""
    index = integer(0, I)
    if index < 0:
        raise IndexError(f"I: expected an index from 0, got {index}")
    result = list(Array or ())
    levels = element_lods(lods["Array"][0], len(result)) if result else []
    while len(result) <= index:
        result.append(np.empty(0, X.dtype))
        levels.append(NO_LOD)
    result[index], levels[index] = X.copy(), lods["X"][0]
    return result, {"Out": [array_lod(levels)]}


@kernel("read_from_array")
def read_from_array(X: list[Array], I: Array, *, lods: Lods) -> tuple[Array, Lods]:  # noqa: E741
    """A copy of the element at I, with its LoD."""
    index = integer(0, I)
    if not 0 <= index < len(X):
        raise IndexError(f"I: expected an index below the array's length {len(X)}, got {index}")
    return X[index].copy(), {"Out": [element_lods(lods["X"][0], len(X))[index]]}


@kernel("lod_array_length")
def lod_array_length(X: list[Array]) -> Array:
    """The number of elements, int64 of shape [1]."""
    return np.array([len(X)], np.int64)


@kernel("tensor_array_to_tensor")
def tensor_array_to_tensor(X: list[Array], *, axis: int, use_stack: bool) -> tuple[Array, Array]:
    """The elements joined along an axis (a new one with `use_stack`), and the size of each there, int32."""
    if use_stack:
        return np.stack(X, axis=axis), np.ones(len(X), np.int32)
    return np.concatenate(X, axis=axis), np.array([element.shape[axis] for element in X], np.int32)
