"""Tensor arrays as lists of arrays; versions of an array share their elements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.types import NO_LOD, DType
from lite.ops.array_lod import array_lod, element_lods
from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, TensorArray, kernel
from lite.plugin.kernel.lod import Lods

MAX_LENGTH = 1 << 16
"""The most elements of a tensor array: its index may be data, and memory is allocated up to it."""


@kernel("create_array")
def create_array() -> list[Array]:
    """litebridge's create_array: an empty tensor array."""
    return []


@kernel("uninitialized")
def uninitialized() -> None:
    """litebridge's uninitialized: no value, for a variable that a branch or loop writes before it is read."""
    return


@kernel("write_to_array")
def write_to_array(
    X: Array,
    I: Array,  # noqa: E741 - Paddle's name
    Array: Sequence[Array] | None,
    *,
    lods: Lods,
) -> tuple[Sequence[Array], Lods]:
    """Paddle write_to_array: the array with a copy of X at I; missing elements before it become empty."""
    index = integer(0, I)
    if not 0 <= index < MAX_LENGTH:
        raise IndexError(
            f"I: expected an index from 0 to {MAX_LENGTH - 1}, the limit of tensor arrays, got {index}"
        )
    count = len(Array or ())
    before, written = lods["Array"][0] if count else NO_LOD, lods["X"][0]
    levels = element_lods(before, count) if before or written else []
    result = _with_element(Array or (), index, X.copy())
    if not before and not written:
        return result, {"Out": [NO_LOD]}
    levels.extend(NO_LOD for _ in range(len(levels), index + 1))
    levels[index] = written
    return result, {"Out": [array_lod(levels)]}


def _with_element(elements: Sequence[Array], index: int, element: Array) -> TensorArray:
    version = _version(elements)
    if index < len(version):
        return TensorArray([*version[:index], element, *version[index + 1 :]])
    for _ in range(len(version), index):
        version = version.appended(np.empty(0, element.dtype))
    return version.appended(element)


def _version(elements: Sequence[Array]) -> TensorArray:
    return elements if isinstance(elements, TensorArray) else TensorArray([*elements])


@kernel("read_from_array")
def read_from_array(X: Sequence[Array], I: Array, *, lods: Lods) -> tuple[Array, Lods]:  # noqa: E741
    """Paddle read_from_array: a copy of the element at I, with its LoD."""
    index = integer(0, I)
    if not 0 <= index < len(X):
        raise IndexError(f"I: expected an index below the array's length {len(X)}, got {index}")
    return X[index].copy(), {"Out": [element_lods(lods["X"][0], len(X))[index]]}


@kernel("lod_array_length")
def lod_array_length(X: Sequence[Array]) -> Array:
    """Paddle lod_array_length: the number of elements, ``int64[1]``."""
    return np.array([len(X)], np.int64)


@kernel("tensor_array_to_tensor")
def tensor_array_to_tensor(X: Sequence[Array], *, axis: int, use_stack: bool) -> tuple[Array, Array]:
    """Paddle tensor_array_to_tensor: the elements along an axis (`use_stack`: a new one), and their sizes."""
    if use_stack:
        return np.stack([*X], axis=axis), np.ones(len(X), np.int32)
    return np.concatenate([*X], axis=axis), np.array([element.shape[axis] for element in X], np.int32)


@kernel("make_array")
def make_array(X: list[Array] | None, *, dtype: int) -> TensorArray:
    """ONNX SequenceConstruct and SequenceEmpty: an array of tensors, of type `dtype` if it is empty."""
    return TensorArray([np.array(element) for element in X or ()])


@kernel("insert_to_array")
def insert_to_array(
    X: Sequence[Array], Item: Array, Position: Array | None, Condition: Array | None
) -> TensorArray:
    """ONNX SequenceInsert: the array with Item before Position, by default at the end.

    litebridge's own is the Condition: where it is false, the array stays as it is.
    """
    version = _version(X)
    if Condition is not None and not Condition.item():
        return version
    at = len(X) if Position is None else _position(Position, len(X), len(X))
    if at == len(X):
        return version.appended(np.array(Item))
    return TensorArray([*X[:at], np.array(Item), *X[at:]])


@kernel("erase_from_array")
def erase_from_array(X: Sequence[Array], Position: Array | None) -> list[Array]:
    """ONNX SequenceErase: the array without the element at Position, by default the last one."""
    at = _position(np.array(-1) if Position is None else Position, len(X), len(X) - 1)
    return [*X[:at], *X[at + 1 :]]


@kernel("array_element")
def array_element(X: Sequence[Array], Position: Array) -> Array:
    """ONNX SequenceAt: a copy of the element at Position."""
    return X[_position(Position, len(X), len(X) - 1)].copy()


@kernel("split_to_array")
def split_to_array(X: Array, Split: Array | None, *, axis: int, keepdims: int) -> list[Array]:
    """ONNX SplitToSequence: parts of X along an axis, of the sizes Split, or all of the size Split.

    Without Split, parts have size 1, and lose the axis where `keepdims` is 0.
    """
    length = X.shape[axis]
    sizes = np.array(1) if Split is None else Split
    if sizes.ndim == 0:
        if sizes < 1:
            raise ValueError(f"Split: expected a size from 1, got {sizes}")
        count, ends = length, np.arange(int(sizes), length, int(sizes))
    elif sizes.sum() != length or (sizes < 0).any():
        raise ValueError(f"Split: expected sizes that add up to {length}, got {sizes.tolist()}")
    else:
        count, ends = len(sizes), np.cumsum(sizes)[:-1]
    parts = [part.copy() for part in np.split(X, ends, axis)] if count else []
    return parts if Split is not None or keepdims else [part.squeeze(axis) for part in parts]


def _position(position: Array, length: int, last: int) -> int:
    """The position counted from the front; raises `IndexError` beyond `last`."""
    at = integer(0, position)
    if not -length <= at <= last:
        raise IndexError(f"Position: expected one from {-length} to {last}, got {at}")
    return at + length if at < 0 else at


@kernel("stack_array")
def stack_array(X: Sequence[Array], *, axis: int, dtype: int, shape: Sequence[int], reverse: bool) -> Array:
    """litebridge's stack_array: the elements along a new axis, the last one first with `reverse`.

    `dtype` and `shape` describe the elements of an empty array.
    """
    if X:
        return np.stack(X[::-1] if reverse else [*X], axis=axis)
    sizes = list(shape)
    sizes.insert(axis if axis >= 0 else axis + len(sizes) + 1, 0)
    return np.empty(sizes, DType.from_code(dtype).numpy if dtype >= 0 else np.float32)
