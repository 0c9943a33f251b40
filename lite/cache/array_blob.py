"""Blobs of JSON data and arrays: the content of entries that hold plans and packed weights.

::

    text size      uint64, little-endian, in bytes
    text           JSON: the data, and the table of the arrays; padded with blanks
    content        the arrays that lie in no other file; starts at a multiple of 64

An array that lies in a file of the model, as most weights do, is stored as a reference to that file.
The content holds all others, each at a multiple of `ALIGNMENT`.
"""

from __future__ import annotations

import json
import mmap
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lite.cache.entry import ALIGNMENT, InvalidEntryError
from lite.errors import LiteError
from lite.ir.types import Array, DType

FileContent = bytes | mmap.mmap
"""The content of a file that arrays may lie in."""

FindInFiles = Callable[[Array], tuple[int, int] | None]
"""Returns the number of the file that an array lies in and its offset there in bytes, if that is known."""

IN_BLOB = -1
"""In place of a file's number: the array lies in the blob's own content."""

SEARCH_MIN_BYTES = 1 << 12
"""Size from which an array is searched for in the files."""

NEEDLE_BYTES = 64
"""Bytes of an array that are searched for before the whole array is compared."""

MAX_COMPARISONS = 4
"""Places in a file that are compared with one array."""

MAX_SCANS = 32
"""How often, in total, the files may be scanned from start to end."""

_TEXT_SIZE = struct.Struct("<Q")


class NotCacheableError(LiteError):
    """Raised for data that an entry cannot hold, or that no key can describe."""


class ArrayWriter:
    """Collects the arrays of a blob.

    Arrays that lie in `files` are stored as references.  `find_in_files` returns the known places; other
    large arrays are searched for.
    """

    def __init__(self, files: Sequence[FileContent] = (), find_in_files: FindInFiles | None = None) -> None:
        self.table: list[list[Any]] = []
        """Per array: file, offset, dtype, shape, and the order of axes in memory if it is not row-major."""
        self.size = 0
        """The size of `content`, in bytes."""
        self._files = files
        self._find_in_files = find_in_files or (lambda _: None)
        self._numbers: dict[tuple[object, ...], int] = {}
        self._references: list[Array] = []
        self._content: list[tuple[int, Array]] = []
        self._scan_budget = MAX_SCANS * sum(map(len, files))
        self._scan_starts = [0] * len(files)

    def add(self, array: Array) -> int:
        """The number of an array in the table; arrays with the same memory have the same number.

        Raises `NotCacheableError` for elements that are not plain bytes.
        """
        memory = array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str
        number = self._numbers.get(memory)
        if number is None:
            number = self._numbers[memory] = len(self.table)
            self.table.append(self._row(array))
            self._references.append(array)  # keeps the memory from being used by another array
        return number

    def content(self) -> bytearray:
        """The bytes of the arrays that lie in no file."""
        content = bytearray(self.size)
        for offset, array in self._content:
            content[offset : offset + array.nbytes] = _bytes_of(array)
        return content

    def _row(self, array: Array) -> list[Any]:
        dtype = DType.from_numpy(array.dtype)
        if dtype is DType.STRING or array.dtype != dtype.numpy:
            raise NotCacheableError(f"an array of {array.dtype} cannot be cached")
        order = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
        transposed = array.transpose(order)
        is_row_major = array.flags.c_contiguous or not transposed.flags.c_contiguous
        if is_row_major:
            array, axes = np.ascontiguousarray(array).reshape(array.shape), []
        else:
            array, axes = transposed, order
        file, offset = self._find(array)
        if file == IN_BLOB:
            offset = -(-self.size // ALIGNMENT) * ALIGNMENT
            self.size = offset + array.nbytes
            self._content.append((offset, array))
        return [file, offset, dtype.label, list(array.shape), axes]

    def _find(self, array: Array) -> tuple[int, int]:
        """The number of the file that an array lies in, and its offset there."""
        place = self._find_in_files(array)
        if place is not None:
            return place
        if array.nbytes < SEARCH_MIN_BYTES:
            return IN_BLOB, 0
        pattern = _bytes_of(array)
        for number in range(len(self._files)):
            offset = self._search(number, pattern)
            if offset >= 0:
                return number, offset
        return IN_BLOB, 0

    def _search(self, number: int, pattern: memoryview) -> int:
        """The offset of these bytes in a file, or -1; the search starts after the latest match."""
        start, size = self._scan_starts[number], len(self._files[number])
        for begin, end in ((start, size), (0, min(start + len(pattern), size))):
            offset = self._search_range(self._files[number], pattern, begin, end)
            if offset >= 0:
                self._scan_starts[number] = offset + len(pattern)
                return offset
        return -1

    def _search_range(self, content: FileContent, pattern: memoryview, start: int, end: int) -> int:
        # The middle of weights is less likely than their beginning to repeat one value.
        middle = (len(pattern) - NEEDLE_BYTES) // 2
        needle = bytes(pattern[middle : middle + NEEDLE_BYTES])
        position = start + middle
        last = end - (len(pattern) - middle - NEEDLE_BYTES)
        for _ in range(MAX_COMPARISONS):
            if self._scan_budget <= 0 or position + NEEDLE_BYTES > last:
                return -1
            match = content.find(needle, position, last)
            self._scan_budget -= (last if match < 0 else match) - position + NEEDLE_BYTES
            if match < 0:
                return -1
            offset = match - middle
            if memoryview(content)[offset : offset + len(pattern)] == pattern:
                return offset
            position = match + 1
        return -1


def pack_blob(data: object, arrays: ArrayWriter) -> bytes:
    """The blob of JSON data and of the arrays it refers to; raises `NotCacheableError` for other data."""
    try:
        text = json.dumps([data, arrays.table]).encode()
    except (TypeError, ValueError) as error:
        raise NotCacheableError(f"the data cannot be written as JSON: {error}") from error
    text += b" " * (-(_TEXT_SIZE.size + len(text)) % ALIGNMENT)
    return b"".join((_TEXT_SIZE.pack(len(text)), text, arrays.content()))


def unpack_blob(blob: memoryview, files: Sequence[FileContent] = ()) -> tuple[Any, list[Array]]:
    """The data and the arrays of a blob; raises `InvalidEntryError`."""
    try:
        (size,) = _TEXT_SIZE.unpack_from(blob)
        data, table = json.loads(bytes(blob[_TEXT_SIZE.size : _TEXT_SIZE.size + size]))
    except (struct.error, ValueError, TypeError, RecursionError) as error:
        raise InvalidEntryError(f"it holds no JSON data: {error}") from error
    return data, read_arrays(table, blob[_TEXT_SIZE.size + size :], files)


def read_arrays(
    table: Sequence[Sequence[Any]], content: memoryview, files: Sequence[FileContent | memoryview] = ()
) -> list[Array]:
    """The arrays of a table, read-only views of `content` and `files`; raises `InvalidEntryError`."""
    arrays = []
    try:
        for file, offset, label, shape, axes in table:
            dtype = DType.from_name(label).numpy
            count = 1
            for size in shape:
                count *= size
            source = content if file == IN_BLOB else files[file]
            # np.frombuffer refuses a count of 0.
            array: Array = np.frombuffer(source, dtype, count, offset) if count else np.empty(0, dtype)
            array = array.reshape(shape)
            array.flags.writeable = False
            arrays.append(array.transpose(np.argsort(axes)) if axes else array)
    except (LiteError, ValueError, TypeError, IndexError) as error:
        raise InvalidEntryError(f"an array cannot be read from its place: {error}") from error
    return arrays


def _bytes_of(array: Array) -> memoryview:
    return memoryview(array.reshape(-1).view(np.uint8).data)
