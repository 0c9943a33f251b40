"""Attributes of ops: type, default and range, and the conversion of values to them."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Sequence

from lite.dataclass import dataclass
from lite.errors import GraphError
from lite.ir.program import AttrType, AttrValue

_shared = functools.lru_cache(maxsize=None, typed=True)
"""Ops with equal attributes share them, which saves time and memory for hundreds of schemas."""


@dataclass(frozen=True, eq=False)
class Attr:
    """One attribute: its type, its default (None: required) and its range."""

    type: AttrType
    default: AttrValue | None
    choices: tuple[AttrValue, ...] = ()
    low: float | None = None
    high: float | None = None

    def checked(self, value: AttrValue) -> AttrValue:
        """`value` in the type of the attribute; raises `ValueError` with a sentence where it does not fit."""
        value = _converted(value, self.type)
        if not self.choices and self.low is None and self.high is None:
            return value
        for item in value if isinstance(value, list) else [value]:
            if self.choices and item not in self.choices:
                raise ValueError(f"expected one of {list(self.choices)}, got {item!r}")
            if isinstance(item, int | float) and not _within(item, self.low, self.high):
                raise ValueError(f"expected a number from {self.low} to {self.high}, got {item}")
        return value

    def unchecked(self) -> tuple[builtins.type | None, frozenset[builtins.type]]:
        """The Python type whose values all fit, and the types of items that fit in a list."""
        if self.choices or self.low is not None or self.high is not None:
            return None, frozenset()
        element = _LISTS.get(self.type)
        return _PYTHON.get(self.type), frozenset() if element is None else frozenset({_PYTHON[element]})


@_shared
def number(default: float, low: float | None = None, high: float | None = None) -> Attr:
    """A number within a range; an integer when the default is one."""
    kind = AttrType.INT if isinstance(default, int) else AttrType.FLOAT
    return Attr(kind, default, low=low, high=high)


@_shared
def choice(default: str, *others: str) -> Attr:
    """One of several strings."""
    return Attr(AttrType.STRING, default, choices=(default, *others))


@_shared
def ints(*default: int) -> Attr:
    """A list of integers."""
    return Attr(AttrType.INTS, list(default))


@_shared
def longs(*default: int) -> Attr:
    """A list of 64-bit integers."""
    return Attr(AttrType.LONGS, list(default))


@_shared
def floats(*default: float) -> Attr:
    """A list of real numbers."""
    return Attr(AttrType.FLOATS, list(default))


@_shared
def required(kind: AttrType) -> Attr:
    """An attribute without a default."""
    return Attr(kind, None)


def attr_of(default: AttrValue | Attr) -> Attr:
    """The attribute with this default: a schema may contain only the default.

    Raises `GraphError` for a list, because its element type does not follow from the default.
    """
    if isinstance(default, Attr):
        return default
    kind = _KINDS.get(type(default))
    if kind is not None and not isinstance(default, list):
        return _plain(kind, default)
    raise GraphError(f"the type of an attribute does not follow from its default {default!r}")


@_shared
def _plain(kind: AttrType, default: complex | str) -> Attr:
    return Attr(kind, default)


_LISTS = {
    AttrType.INTS: AttrType.INT,
    AttrType.LONGS: AttrType.LONG,
    AttrType.FLOATS: AttrType.FLOAT,
    AttrType.FLOAT64S: AttrType.FLOAT64,
    AttrType.BOOLEANS: AttrType.BOOLEAN,
    AttrType.STRINGS: AttrType.STRING,
}

_PYTHON = {
    AttrType.BOOLEAN: bool,
    AttrType.INT: int,
    AttrType.LONG: int,
    AttrType.FLOAT: float,
    AttrType.FLOAT64: float,
    AttrType.STRING: str,
}


_KINDS = {bool: AttrType.BOOLEAN, int: AttrType.INT, float: AttrType.FLOAT, str: AttrType.STRING}


def _converted(value: AttrValue, kind: AttrType) -> AttrValue:
    element = _LISTS.get(kind)
    if element is not None:
        items: Sequence[AttrValue] = value if isinstance(value, list) else [value]
        converted: AttrValue = [_converted(item, element) for item in items]  # type: ignore[assignment]
        return converted
    if kind == AttrType.SCALARS and isinstance(value, list):
        return value
    if kind == AttrType.BOOLEAN and isinstance(value, bool | int):
        return bool(value)
    if kind in (AttrType.INT, AttrType.LONG) and isinstance(value, int):
        return int(value)
    if kind in (AttrType.INT, AttrType.LONG) and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind in (AttrType.FLOAT, AttrType.FLOAT64) and isinstance(value, bool | int | float):
        return float(value)
    if kind == AttrType.STRING and isinstance(value, str):
        return value
    raise ValueError(f"expected {kind.name}, got {value!r}")


def _within(item: float, low: float | None, high: float | None) -> bool:
    return (low is None or item >= low) and (high is None or item <= high)
