"""Attributes of an op: a mapping whose values are read with a type."""

from __future__ import annotations

import dataclasses
import functools
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from lite.errors import GraphError, suggest
from lite.ir.program import AttrValue
from lite.ir.types import DType

R = TypeVar("R")


class AttributeReaders:
    """Reads attributes of an op by name, each method as one type.

    A method raises `GraphError` naming op and attribute when the op has no such attribute or its value is
    of another type.  With a `default` the attribute may be missing.
    """

    def __init__(self, op: str, attrs: Mapping[str, AttrValue]) -> None:
        self.op = op
        self._attrs = attrs

    def by_name(self) -> Mapping[str, AttrValue]:
        """All attributes by name."""
        return self._attrs

    def integer(self, name: str, default: int | None = None) -> int:
        """An integer; a bool counts as 0 or 1."""
        value = self._attribute(name, default)
        if not isinstance(value, int):
            raise self.error(f"attribute {name}", "an integer", repr(value))
        return int(value)

    def real(self, name: str, default: float | None = None) -> float:
        """A real number."""
        value = self._attribute(name, default)
        if not isinstance(value, int | float):
            raise self.error(f"attribute {name}", "a number", repr(value))
        return float(value)

    def flag(self, name: str, default: bool | None = None) -> bool:
        """A bool."""
        return bool(self._attribute(name, default))

    def text(self, name: str, default: str | None = None) -> str:
        """A string."""
        return str(self._attribute(name, default))

    def integers(self, name: str, default: Sequence[int] | None = None) -> list[int]:
        """A list of integers."""
        value = self._attribute(name, None if default is None else list(default))
        items = value if isinstance(value, list | tuple) else ()
        numbers = [int(item) for item in items if isinstance(item, int)]
        if items is not value or len(numbers) != len(items):
            raise self.error(f"attribute {name}", "a list of integers", repr(value))
        return numbers

    def reals(self, name: str, default: Sequence[float] | None = None) -> list[float]:
        """A list of numbers; a single number is a list of one."""
        value = self._attribute(name, None if default is None else list(default))
        items = value if isinstance(value, list | tuple) else [value]
        numbers = [float(item) for item in items if isinstance(item, int | float)]
        if len(numbers) != len(items):
            raise self.error(f"attribute {name}", "a list of numbers", repr(value))
        return numbers

    def strings(self, name: str) -> list[str]:
        """A list of strings."""
        value = self._attribute(name, None)
        items = value if isinstance(value, list | tuple) else ()
        strings = [item for item in items if isinstance(item, str)]
        if items is not value or len(strings) != len(items):
            raise self.error(f"attribute {name}", "a list of strings", repr(value))
        return strings

    def dtype(self, name: str, default: DType) -> DType:
        """An element type, stored as its number in Paddle; a negative number means `default`."""
        code = self.integer(name)
        return default if code < 0 else DType.from_code(code)

    def read(self, record: type[R]) -> R:
        """A dataclass whose fields are filled from the attributes of the same names.

        Raises `TypeError` for a class that `record_fields` refuses.
        """
        kind: type = record  # mypy doubts that a type[R] is hashable
        fields = record_fields(kind)
        return record(**{name: _READERS[kind](self, name) for name, kind in fields.items()})

    def error(self, where: str, expected: str, got: object) -> GraphError:
        """An error that names the op, the place in it, and what was expected and found there."""
        return GraphError(f"{self.op}: {where}: expected {expected}, got {got}")

    def _attribute(self, name: str, default: AttrValue | None) -> AttrValue:
        value = self._attrs.get(name, default)
        if value is None:
            raise GraphError(f"{self.op}: no attribute {name!r}{suggest(name, self._attrs)}")
        return value


class Attributes(AttributeReaders, Mapping[str, AttrValue]):
    """The attributes of an op by name, with readers: ``attrs["axis"]``, ``attrs.integer("axis")``."""

    def __getitem__(self, name: str) -> AttrValue:
        return self._attrs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._attrs)

    def __len__(self) -> int:
        return len(self._attrs)

    def __repr__(self) -> str:
        return f"Attributes({self.op!r}, {dict(self._attrs)!r})"


@functools.cache
def record_fields(record: type) -> Mapping[str, object]:
    """The fields of a dataclass that `AttributeReaders.read` fills, with their types.

    Types are ``int``, ``float``, ``bool``, ``str``, ``tuple[int, ...]`` and ``tuple[float, ...]``.

    Raises `TypeError` for a class that is no dataclass, or has a field of another type.
    """
    if not dataclasses.is_dataclass(record):
        raise TypeError(f"{record.__name__} is not a dataclass")
    hints = typing.get_type_hints(record)
    fields = {field.name: hints[field.name] for field in dataclasses.fields(record)}
    for name, kind in fields.items():
        if kind not in _READERS:
            types = ", ".join(type_name(each) for each in _READERS)
            raise TypeError(f"{record.__name__}.{name} is {type_name(kind)}, not one of {types}")
    return fields


def type_name(kind: object) -> str:
    """How Python code spells the type of a field."""
    return kind.__name__ if isinstance(kind, type) and kind in (int, float, bool, str) else str(kind)


_READERS: Mapping[object, Callable[[AttributeReaders, str], object]] = {
    int: AttributeReaders.integer,
    float: AttributeReaders.real,
    bool: AttributeReaders.flag,
    str: AttributeReaders.text,
    tuple[int, ...]: lambda attrs, name: tuple(attrs.integers(name)),
    tuple[float, ...]: lambda attrs, name: tuple(attrs.reals(name)),
}
