"""The member with all arrays: collects arrays, of which equal ones are stored once, and reads them back."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.cache.array_blob import ArrayWriter, read_arrays
from lite.cache.entry import ALIGNMENT, InvalidEntryError
from lite.ir.types import Array

PAGE = 4096
"""Where the member starts, in bytes, so that it can be mapped by itself."""

_FILE = 0
"""The number of the member in the tables of arrays."""


class WeightsWriter:
    """Collects the arrays of several tables in one member."""

    def __init__(self) -> None:
        self._offsets: dict[bytes, int] = {}
        self._chunks: list[bytes | memoryview] = []
        self._size = 0
        self.shared_bytes = 0
        """Bytes that are not stored because equal arrays are there."""

    def table(self) -> ArrayWriter:
        """A new table, whose arrays go into this member."""
        return ArrayWriter(find_in_files=self._place)

    @property
    def chunks(self) -> Sequence[bytes | memoryview]:
        """The bytes of the member."""
        return self._chunks

    def _place(self, array: Array) -> tuple[int, int]:
        """The place of a contiguous array, which is added if no equal one is there."""
        content = memoryview(array.reshape(-1).view(np.uint8).data)
        digest = hashlib.sha256(content).digest()
        if digest in self._offsets:
            self.shared_bytes += array.nbytes
            return _FILE, self._offsets[digest]
        padding = -self._size % ALIGNMENT
        if padding:
            self._chunks.append(bytes(padding))
        offset = self._offsets[digest] = self._size + padding
        self._chunks.append(content)
        self._size = offset + array.nbytes
        return _FILE, offset


def stored_arrays(table: Sequence[Sequence[Any]], weights: memoryview) -> list[Array]:
    """The arrays of a table: read-only views of the member; raises `InvalidEntryError`."""
    for row in table:
        file, offset, _, shape, _ = row
        if file != _FILE or not isinstance(offset, int) or offset < 0 or offset % ALIGNMENT:
            raise InvalidEntryError(f"an array lies at {offset!r}, expected a multiple of {ALIGNMENT}")
        if not all(type(size) is int and size >= 0 for size in shape):
            raise InvalidEntryError(f"an array has the shape {shape}")
    return read_arrays(table, memoryview(b""), [weights])
