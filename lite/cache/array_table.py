"""Arrays as a table of plain data and the bytes that it refers to.

What lies in a file that is there anyway, such as a model's weights, is referred to where it lies; the
rest is put in a row, each array at a multiple of `ALIGNMENT`.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lite.cache.container import ALIGNMENT
from lite.errors import LiteError
from lite.ir.types import Array, DType

File = bytes | mmap.mmap
"""The content of a file."""

Locate = Callable[[Array], tuple[int, int] | None]
"""Answers in which file an array lies, and where there; None for one that lies in none."""

OWN = -1
"""The number that stands for the table's own bytes; others are those of files."""

WORTH_SEARCHING = 1 << 12
"""Bytes from which an array is searched for in the files."""

NEEDLE = 64
"""Bytes of an array that are searched for before all of it is compared."""

MOST_MATCHES = 4
"""Places that are compared with an array."""

MOST_PASSES = 32
"""How often, in all, files may be read from one end to the other to find arrays in them."""


class NotKeptError(LiteError):
    """Raised for what cannot be put in an entry and taken out again."""


class ArrayWriter:
    """Collects arrays; `files` need not be stored again, `locate` knows of some arrays that lie there."""

    def __init__(self, files: Sequence[File] = (), locate: Locate | None = None) -> None:
        self.table: list[list[Any]] = []
        """For each array: file, offset, element type, shape and, where not in order, that of its axes."""
        self.size = 0
        """How many bytes `content` has."""
        self._files = files
        self._locate = locate or (lambda _: None)
        self._numbers: dict[tuple[object, ...], int] = {}
        self._kept: list[Array] = []
        self._own: list[tuple[int, Array]] = []
        self._budget = MOST_PASSES * sum(map(len, files))
        self._latest = [0] * len(files)

    def add(self, array: Array) -> int:
        """The number of an array, which is another one's if they are the same memory.

        Raises `NotKeptError` for elements that are not plain bytes.
        """
        place = array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str
        known = self._numbers.get(place)
        if known is None:
            known = self._numbers[place] = len(self.table)
            self.table.append(self._row(array))
            self._kept.append(array)  # so that no other array can take its place in memory
        return known

    def content(self) -> bytearray:
        """The bytes of the arrays that lie in no file."""
        content = bytearray(self.size)
        for offset, array in self._own:
            content[offset : offset + array.nbytes] = _bytes_of(array)
        return content

    def _row(self, array: Array) -> list[Any]:
        dtype = DType.from_numpy(array.dtype)
        if dtype is DType.STRING or array.dtype != dtype.numpy:
            raise NotKeptError(f"an array of {array.dtype} is not kept")
        order = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
        turned = array.transpose(order)
        in_order = array.flags.c_contiguous or not turned.flags.c_contiguous
        array, axes = (np.ascontiguousarray(array).reshape(array.shape), []) if in_order else (turned, order)
        where, offset = self._find(array)
        if where == OWN:
            offset = -(-self.size // ALIGNMENT) * ALIGNMENT
            self.size = offset + array.nbytes
            self._own.append((offset, array))
        return [where, offset, dtype.label, list(array.shape), axes]

    def _find(self, array: Array) -> tuple[int, int]:
        """The file that an array lies in, and where there."""
        known = self._locate(array) if array.nbytes >= WORTH_SEARCHING else None
        if known is not None:
            return known
        if array.nbytes >= WORTH_SEARCHING:
            wanted = _bytes_of(array)
            for number in range(len(self._files)):
                offset = self._search(number, wanted)
                if offset >= 0:
                    return number, offset
        return OWN, 0

    def _search(self, number: int, wanted: memoryview) -> int:
        """Where in a file these bytes lie, looking behind the latest find first; -1 for nowhere."""
        latest, size = self._latest[number], len(self._files[number])
        for start, end in ((latest, size), (0, min(latest + len(wanted), size))):
            found = self._matching(self._files[number], wanted, start, end)
            if found >= 0:
                self._latest[number] = found + len(wanted)
                return found
        return -1

    def _matching(self, content: File, wanted: memoryview, start: int, end: int) -> int:
        # The middle of weights is less likely to be one value all over than their beginning.
        middle = (len(wanted) - NEEDLE) // 2
        needle = bytes(wanted[middle : middle + NEEDLE])
        position = start + middle
        last = end - (len(wanted) - middle - NEEDLE)
        for _ in range(MOST_MATCHES):
            if self._budget <= 0 or position + NEEDLE > last:
                return -1
            found = content.find(needle, position, last)
            self._budget -= (last if found < 0 else found) - position + NEEDLE
            if found < 0:
                return -1
            offset = found - middle
            if memoryview(content)[offset : offset + len(wanted)] == wanted:
                return offset
            position = found + 1
        return -1


def read_arrays(
    table: Sequence[Sequence[Any]], content: memoryview, files: Sequence[File] = ()
) -> list[Array]:
    """The arrays of a table, read-only, where they lie; raises `NotKeptError` where they do not."""
    arrays = []
    try:
        for where, offset, label, shape, axes in table:
            dtype = DType.from_name(label).numpy
            count = 1
            for size in shape:
                count *= size
            source = content if where == OWN else files[where]
            # Of nothing at all, frombuffer makes no array.
            array: Array = np.frombuffer(source, dtype, count, offset) if count else np.empty(0, dtype)
            array = array.reshape(shape)
            array.flags.writeable = False
            arrays.append(array.transpose(np.argsort(axes)) if axes else array)
    except (LiteError, ValueError, TypeError, IndexError) as error:
        raise NotKeptError(f"an array is not where it was: {error}") from error
    return arrays


def _bytes_of(array: Array) -> memoryview:
    return memoryview(array.reshape(-1).view(np.uint8).data)
