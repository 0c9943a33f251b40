"""Reads the fields of layout 0: little-endian numbers, and strings and lists after their length."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TypeVar

from lite.errors import ModelParseError

T = TypeVar("T")


class FieldReader:
    """Reads the fields of `data` in order; each method raises `ModelParseError` if the data ends early."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._position = 0

    @property
    def rest(self) -> int:
        """The number of bytes that are not read yet."""
        return len(self._data) - self._position

    def number(self, code: str) -> float:
        """A number; `code` is its format character in Python's `struct`."""
        value: float = struct.unpack(f"<{code}", self._take(struct.calcsize(code)))[0]
        return value

    def integer(self, code: str = "i") -> int:
        """An integer, int32 by default."""
        return int(self.number(code))

    def block(self) -> memoryview:
        """Bytes after their number, which is a uint64."""
        return self._take(self.integer("Q"))

    def text(self) -> str:
        """A string in UTF-8, after the number of its bytes."""
        try:
            return bytes(self.block()).decode("utf-8")
        except UnicodeDecodeError as error:
            raise ModelParseError(f"a string is not UTF-8: {error.reason}") from error

    def items(self, read: Callable[[], T]) -> list[T]:
        """A list after its length, which is a uint64; `read` reads one item, of at least one byte."""
        count = self.integer("Q")
        if count > self.rest:
            raise ModelParseError(f"a list has {count} items, but only {self.rest} bytes are left")
        return [read() for _ in range(count)]

    def integers(self, code: str = "i") -> list[int]:
        """A list of integers, int32 by default."""
        return self.items(lambda: self.integer(code))

    def _take(self, size: int) -> memoryview:
        if size > self.rest:
            raise ModelParseError(
                f"the data ends at byte {len(self._data)}, expected {size} bytes at byte {self._position}; "
                "the file is cut short or damaged: copy it again"
            )
        self._position += size
        return self._data[self._position - size : self._position]
