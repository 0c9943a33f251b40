"""The fields of layout 0, one after the other: numbers, strings and lists, each with its length before it."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TypeVar

from lite.errors import ModelParseError

T = TypeVar("T")


class FieldReader:
    """Reads fields from the begin of `data`; each method raises `ModelParseError` at the end of the data."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._position = 0

    @property
    def rest(self) -> int:
        """The number of bytes that were not read yet."""
        return len(self._data) - self._position

    def number(self, code: str) -> float:
        """A number of a type of `struct`."""
        value: float = struct.unpack(f"<{code}", self._take(struct.calcsize(code)))[0]
        return value

    def integer(self, code: str = "i") -> int:
        """An integer."""
        return int(self.number(code))

    def block(self) -> memoryview:
        """Bytes, with their number before them."""
        return self._take(self.integer("Q"))

    def text(self) -> str:
        """A string."""
        try:
            return bytes(self.block()).decode("utf-8")
        except UnicodeDecodeError as error:
            raise ModelParseError(f"a string is not UTF-8: {error.reason}") from error

    def items(self, read: Callable[[], T]) -> list[T]:
        """A list, whose items `read` reads: each at least one byte."""
        count = self.integer("Q")
        if count > self.rest:
            raise ModelParseError(f"a list has {count} items, but only {self.rest} bytes are left")
        return [read() for _ in range(count)]

    def integers(self, code: str = "i") -> list[int]:
        """A list of integers."""
        return self.items(lambda: self.integer(code))

    def _take(self, size: int) -> memoryview:
        if size > self.rest:
            raise ModelParseError(
                f"the data ends at byte {len(self._data)}, expected {size} bytes at byte {self._position}; "
                "the file is cut short or damaged: copy it again"
            )
        self._position += size
        return self._data[self._position - size : self._position]
