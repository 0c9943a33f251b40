"""A reader of FlatBuffers: tables with scalars, strings, vectors and tables in numbered fields.

All positions are checked against the buffer.  The layout follows "FlatBuffers internals", little endian.
A table begins with the distance back to its vtable.  The vtable has its own size, the size of the table, and
for each field the distance from the begin of the table, 0 for an absent field.  A reference is the distance
from its own position forward.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

from lite.errors import ModelParseError
from lite.ir.types import Array

_SIZES = {code: struct.calcsize(code) for code in "bBhHiIqQf?"}


class Table:
    """A table at a position of a buffer."""

    def __init__(self, data: bytes, position: int) -> None:
        self._data = data
        self._position = position
        self._vtable = position - self._unpack("i", position)
        size = self._unpack("H", self._vtable)
        self._fields = max(0, (size - 4) // 2)

    @classmethod
    def root(cls, data: bytes) -> Table:
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
        bytes_ = self.numbers(field, "B")
        try:
            return bytes_.tobytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise ModelParseError(f"field {field}: a string is not UTF-8: {error.reason}") from error

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

    def _find(self, field: int) -> int | None:
        if field >= self._fields:
            return None
        offset = self._unpack("H", self._vtable + 4 + 2 * field)
        return self._position + offset if offset else None

    def _vector(self, field: int, size: int) -> tuple[int, int]:
        """The position and the number of the elements, which fit into the buffer."""
        position = self._find(field)
        if position is None:
            return 0, 0
        start = position + self._unpack("I", position)
        count = self._unpack("I", start)
        if count * size > len(self._data) - start - 4:
            raise ModelParseError(
                f"a vector at byte {start} has {count} elements of {size} bytes, which exceed the file"
            )
        return start + 4, count

    def _follow(self, position: int) -> Table:
        return Table(self._data, position + self._unpack("I", position))

    def _unpack(self, code: str, position: int) -> int:
        if not 0 <= position <= len(self._data) - _SIZES[code]:
            raise ModelParseError(
                f"a reference leads to byte {position}, outside of the {len(self._data)} bytes"
            )
        value: int = struct.unpack_from(f"<{code}", self._data, position)[0]
        return value
