"""Writes FlatBuffers: a table before what it refers to, so that large vectors are copied once.

https://flatbuffers.dev/internals: a table begins with the distance to its vtable, which has the position
of each field; strings, vectors and other tables are referred to by their distance.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from lite.dataclass import dataclass
from lite.errors import CompileError
from lite.ir.types import Array

_ALIGNMENT = 16
"""Of the elements of vectors: LiteRT and XNNPACK read constants in place."""

_LARGEST = 2**31 - 1
"""Distances are 32-bit integers, of which readers use 31."""


@dataclass(frozen=True)
class Scalar:
    """A number stored in a table itself; `code` is its type in `struct`."""

    code: str
    value: float


Field: TypeAlias = "Scalar | str | Array | Mapping[int, Field] | Sequence[Mapping[int, Field]]"
"""A number, a string, a vector of numbers, a table by field numbers, or a vector of tables."""

Table = Mapping[int, Field]


def write(root: Table, identifier: bytes) -> bytes:
    """The bytes of a FlatBuffer; raises `CompileError` where it would have 2 GiB or more."""
    out = _Output()
    out.append(bytes(4) + identifier)
    out.refer(0, root)
    return out.joined()


class _Output:
    """Parts of the file, and the distances to set in it."""

    def __init__(self) -> None:
        self._parts: list[bytes | bytearray | memoryview] = []
        self._size = 0
        self._distances: list[tuple[int, int]] = []

    def append(self, part: bytes | bytearray | memoryview) -> int:
        """Add bytes; their position."""
        start = self._size
        self._parts.append(part)
        self._size += len(part)
        if self._size > _LARGEST:
            raise CompileError(f"the model has more than {_LARGEST} bytes, the most that a FlatBuffer holds")
        return start

    def align(self, size: int, extra: int = 0) -> None:
        """Add zeros until the position after `extra` more bytes is a multiple of `size`."""
        missing = -(self._size + extra) % size
        if missing:
            self.append(bytes(missing))

    def refer(self, position: int, value: Field) -> None:
        """Write a value; the four bytes at `position` become the distance to it."""
        self._distances.append((position, self._write(value) - position))

    def joined(self) -> bytes:
        """The whole file."""
        data = bytearray().join(self._parts)
        for position, distance in self._distances:
            struct.pack_into("<I", data, position, distance)
        return bytes(data)

    def _write(self, value: Field) -> int:
        match value:
            case str():
                text = value.encode()
                self.align(4)
                return self.append(struct.pack("<I", len(text)) + text + b"\0")
            case np.ndarray():
                self.align(_ALIGNMENT, extra=4)
                start = self.append(struct.pack("<I", value.size))
                self.append(np.ascontiguousarray(value).data.cast("B") if value.size else b"")
                return start
            case Mapping():
                return self._write_table(value)
            case Scalar():
                raise TypeError("a number is stored in its table")
            case _:
                self.align(4)
                start = self.append(struct.pack("<I", len(value)) + bytes(4 * len(value)))
                for number, table in enumerate(value):
                    self.refer(start + 4 + 4 * number, table)
                return start

    def _write_table(self, table: Table) -> int:
        offsets: dict[int, int] = {}
        size = 4
        for number, value in table.items():
            width = struct.calcsize(value.code) if isinstance(value, Scalar) else 4
            size += -size % width
            offsets[number] = size
            size += width
        slots = [offsets.get(number, 0) for number in range(max(table, default=-1) + 1)]
        vtable = struct.pack(f"<{2 + len(slots)}H", 4 + 2 * len(slots), size, *slots)
        self.align(8, extra=len(vtable))
        start = self.append(vtable)
        body = bytearray(size)
        struct.pack_into("<i", body, 0, len(vtable))
        for number, value in table.items():
            if isinstance(value, Scalar):
                struct.pack_into(f"<{value.code}", body, offsets[number], value.value)
        begin = self.append(body)
        assert begin == start + len(vtable)
        for number, value in table.items():
            if not isinstance(value, Scalar):
                self.refer(begin + offsets[number], value)
        return begin
