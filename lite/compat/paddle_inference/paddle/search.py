"""Functions of ``paddle`` that order and find elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lite.compat.paddle_inference.paddle.tensor import Tensor, array_of, as_tensor


def argsort(x: Any, axis: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The positions of the elements in order, as int64."""
    array = array_of(x)
    if descending:
        # Equal elements keep their order, as in a stable sort.
        backward = np.flip(np.argsort(np.flip(array, axis), axis, kind="stable"), axis)
        return Tensor((array.shape[axis] - 1 - backward).astype(np.int64))
    return Tensor(np.argsort(array, axis, kind="stable").astype(np.int64))


def topk(
    x: Any,
    k: Any,
    axis: int = -1,
    largest: bool = True,
    sorted: bool = True,
) -> tuple[Tensor, Tensor]:
    """The `k` largest or smallest elements along an axis, and their positions."""
    array = array_of(x)
    order = array_of(argsort(array, axis, descending=largest))
    first = np.take(order, np.arange(int(k)), axis)
    return Tensor(np.take_along_axis(array, first, axis)), Tensor(first)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Elements of `x` where the condition holds and of `y` elsewhere, or the positions where it holds."""
    if x is None or y is None:
        return tuple(Tensor(part) for part in np.nonzero(array_of(condition)))
    return Tensor(np.where(array_of(condition), array_of(x), array_of(y)))


def sort(
    x: Any, axis: int = -1, descending: bool = False, stable: bool = False, name: str | None = None
) -> Tensor:
    """The elements in order along an axis."""
    order = array_of(argsort(x, axis, descending))
    return Tensor(np.take_along_axis(array_of(x), order, axis))


def argmax(x: Any, axis: int | None = None, keepdim: bool = False, dtype: object = "int64") -> Tensor:
    """`Tensor.argmax`."""
    return as_tensor(x).argmax(axis, keepdim).astype(dtype)


def argmin(x: Any, axis: int | None = None, keepdim: bool = False, dtype: object = "int64") -> Tensor:
    """`Tensor.argmin`."""
    return as_tensor(x).argmin(axis, keepdim).astype(dtype)


def nonzero(x: Any, as_tuple: bool = False) -> Any:
    """The positions of the elements that are not 0, a row for each, or a vector for each axis."""
    positions = np.nonzero(array_of(x))
    if as_tuple:
        return tuple(map(Tensor, positions))
    return Tensor(np.stack(positions, 1))


def unique(
    x: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    dtype: object = "int64",
    name: str | None = None,
) -> Any:
    """The different elements or slices in order; then their first positions, their use and their counts."""
    find: Callable[..., Any] = np.unique
    found = find(array_of(x), return_index, return_inverse, return_counts, axis)
    if not isinstance(found, tuple):
        return Tensor(found)
    return (Tensor(found[0]), *(Tensor(part.reshape(-1)).astype(dtype) for part in found[1:]))


def searchsorted(
    sorted_sequence: Any,
    values: Any,
    out_int32: bool = False,
    right: bool = False,
    name: str | None = None,
) -> Tensor:
    """The positions at which the values keep a vector in order."""
    side = "right" if right else "left"
    find: Callable[..., Any] = np.searchsorted
    found = find(array_of(sorted_sequence), array_of(values), side)
    return Tensor(np.asarray(found, np.int32 if out_int32 else np.int64))


FUNCTIONS: tuple[Callable[..., object], ...] = (
    argsort,
    sort,
    topk,
    argmax,
    argmin,
    where,
    nonzero,
    unique,
    searchsorted,
)
