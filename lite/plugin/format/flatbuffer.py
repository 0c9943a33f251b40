"""A reader of FlatBuffers: tables with scalars, strings, vectors and tables in numbered fields.

All positions are checked against the buffer.  References may lead to one place many times, so the bytes that
are read in all are limited, too: a small file cannot ask for much work.

The layout follows "FlatBuffers internals", little endian.  A table begins with the distance back to its
vtable.  The vtable has its own size, the size of the table, and for each field the distance from the begin
of the table, 0 for an absent field.  A reference is the distance from its own position forward.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from lite.errors import ModelParseError
from lite.ir.types import Array

_SIZES = {code: struct.calcsize(code) for code in "bBhHiIqQfd?"}

MOST_READS = 64
"""How many times the bytes of a buffer may be read on average; a parser reads most of them once or twice."""


class _Work:
    """The bytes of one buffer that may still be read."""

    def __init__(self, size: int) -> None:
        self._left = MOST_READS * size

    def spend(self, size: int) -> None:
        """Count bytes; raises `ModelParseError` for too many."""
        self._left -= size
        if self._left < 0:
            raise ModelParseError(
                f"the references of the file lead to the same bytes more than {MOST_READS} times; the file "
                "is damaged: copy or convert it again"
            )


class Table:
    """A table at a position of a buffer."""

    def __init__(self, data: bytes | memoryview, position: int, work: _Work | None = None) -> None:
        self._data = data
        self._position = position
        self._work = _Work(len(data)) if work is None else work
        self._work.spend(8)
        self._vtable = position - self._unpack("i", position)
        size = self._unpack("H", self._vtable)
        self._fields = max(0, (size - 4) // 2)

    @classmethod
    def root(cls, data: bytes | memoryview) -> Table:
        """The table that the first number of the buffer refers to."""
        if len(data) < 8:
            raise ModelParseError(f"expected at least 8 bytes, got {len(data)}")
        (position,) = struct.unpack_from("<I", data)
        return cls(data, position)

    def scalar(self, field: int, code: str, default: float) -> float:
        """A number of a type of `struct`, such as ``i`` for int32."""
        position = self._find(field)
        return default if position is None else self._unpack(code, position)

    def integer(self, field: int, code: str, default: int = 0) -> int:
        """An integer."""
        return int(self.scalar(field, code, default))

    def string(self, field: int) -> str:
        """A string; "" for an absent one."""
        position = self._find(field)
        return "" if position is None else self._text(position, field)

    def numbers(self, field: int, code: str) -> Array:
        """A vector of numbers as a view of the buffer; empty for an absent one."""
        start, count = self._vector(field, _SIZES[code])
        return np.frombuffer(self._data, np.dtype(code).newbyteorder("<"), count, start)

    def table(self, field: int) -> Table | None:
        """A table, or None for an absent one."""
        position = self._find(field)
        return None if position is None else self._follow(position)

    def tables(self, field: int) -> Sequence[Table]:
        """A vector of tables; empty for an absent one."""
        start, count = self._vector(field, 4)
        return [self._follow(start + 4 * n) for n in range(count)]

    def strings(self, field: int) -> list[str]:
        """A vector of strings; empty for an absent one."""
        start, count = self._vector(field, 4)
        return [self._text(start + 4 * n, field) for n in range(count)]

    def _find(self, field: int) -> int | None:
        if field >= self._fields:
            return None
        offset = self._unpack("H", self._vtable + 4 + 2 * field)
        return self._position + offset if offset else None

    def _vector(self, field: int, size: int) -> tuple[int, int]:
        """The position and the number of the elements, which fit into the buffer."""
        position = self._find(field)
        return (0, 0) if position is None else self._elements(position, size)

    def _elements(self, position: int, size: int) -> tuple[int, int]:
        """The position and the number of the elements of the vector that a reference leads to."""
        start = position + self._unpack("I", position)
        count = self._unpack("I", start)
        if count * size > len(self._data) - start - 4:
            raise ModelParseError(
                f"a vector at byte {start} has {count} elements of {size} bytes, which exceed the file"
            )
        self._work.spend(4 + count * size)
        return start + 4, count

    def _text(self, position: int, field: int) -> str:
        """The string that a reference leads to."""
        start, size = self._elements(position, 1)
        try:
            return bytes(self._data[start : start + size]).decode("utf-8")
        except UnicodeDecodeError as error:
            raise ModelParseError(f"field {field}: a string is not UTF-8: {error.reason}") from error

    def _follow(self, position: int) -> Table:
        return Table(self._data, position + self._unpack("I", position), self._work)

    def _unpack(self, code: str, position: int) -> int:
        if not 0 <= position <= len(self._data) - _SIZES[code]:
            raise ModelParseError(
                f"a reference leads to byte {position}, outside of the {len(self._data)} bytes"
            )
        value: int = struct.unpack_from(f"<{code}", self._data, position)[0]
        return value
