"""Tensor arrays whose versions share one list, so that writing an element at the end copies nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from lite.ir.types import Array

if TYPE_CHECKING:
    from typing_extensions import TypeIs

_appending = threading.Lock()
"""Two runs may append to the same version at once; only one of them is first."""


class TensorArray(Sequence[Array]):
    """A version of a tensor array: the first elements of a list that later versions extend.

    The kernel that adds an element gives it up: the element shares memory with no other array, and no kernel
    writes to it.  Kernels also take and return plain lists, which mean the same.
    """

    __slots__ = ("_count", "_items")

    def __init__(self, items: list[Array]) -> None:
        self._items = items
        self._count = len(items)

    def appended(self, element: Array) -> TensorArray:
        """The version with one more element; this one stays as it is."""
        with _appending:
            is_last = len(self._items) == self._count
            if is_last:
                self._items.append(element)
        if not is_last:
            return TensorArray([*self, element])
        version = TensorArray.__new__(TensorArray)
        version._items, version._count = self._items, self._count + 1
        return version

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Array: ...

    @overload
    def __getitem__(self, index: slice) -> list[Array]: ...

    def __getitem__(self, index: int | slice) -> Array | list[Array]:
        if isinstance(index, slice):
            return [self._items[n] for n in range(*index.indices(self._count))]
        at = index + self._count if index < 0 else index
        if not 0 <= at < self._count:
            raise IndexError(f"index {index} of an array of {self._count} tensors")
        return self._items[at]

    def __iter__(self) -> Iterator[Array]:
        return iter(self._items[: self._count])


def is_tensor_array(value: Any) -> TypeIs[list[Array] | TensorArray]:
    """Whether the value of a run is a tensor array."""
    return isinstance(value, list | TensorArray)
