"""Checked access to the fields of the JSON document of a PIR program."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeGuard, TypeVar, overload

from lite.errors import ModelParseError

Json = object
"""A value of a JSON document, of unchecked type."""

T = TypeVar("T")
_Missing = type("_Missing", (), {})()

_KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
}


def is_mapping(value: Json) -> TypeGuard[Mapping[str, Json]]:
    """Whether a value is a JSON object."""
    return isinstance(value, dict)


@overload
def field(owner: Json, key: str, kind: type[T], where: str) -> T: ...
@overload
def field(owner: Json, key: str, kind: type[T], where: str, default: T) -> T: ...
def field(owner: Json, key: str, kind: type[T], where: str, default: object = _Missing) -> T:
    """The field `key` of an object, of type `kind`; raises `ModelParseError` if it is of another type.

    If the object lacks the key, returns `default`, or raises the error if there is no default.
    """
    if not is_mapping(owner):
        raise ModelParseError(f"{where}: expected an object with {key!r}, got {short(owner)}")
    if key not in owner and default is not _Missing:
        return default  # type: ignore[return-value]
    if key not in owner:
        raise ModelParseError(f"{where}: expected the key {key!r}, got the keys {short(sorted(owner))}")
    return checked(owner[key], kind, f"{where}: {key!r}")


def checked(value: Json, kind: type[T], where: str) -> T:
    """`value`, if it is of type `kind`; raises `ModelParseError` otherwise.

    A boolean does not count as an integer.  An integer is converted where a float is expected.
    """
    if isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool):
        if isinstance(value, str) and not _is_unicode(value):
            raise ModelParseError(f"{where}: expected Unicode text, got {short(value)}")
        return value
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)  # type: ignore[return-value]
        except OverflowError:
            raise ModelParseError(f"{where}: expected a 64-bit number, got {short(value)}") from None
    raise ModelParseError(f"{where}: expected {_KINDS[kind]}, got {short(value)}")


def _is_unicode(text: str) -> bool:
    """Whether a string has no half of a surrogate pair, which JSON can express."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def integer64(value: Json, where: str) -> int:
    """`value`, if it is an integer in the range of int64; raises `ModelParseError` otherwise."""
    number = checked(value, int, where)
    if not -(2**63) <= number < 2**63:
        raise ModelParseError(f"{where}: expected a 64-bit integer, got {short(number)}")
    return number


def short(value: Json) -> str:
    """A value as JSON text of at most 60 characters, for an error message.

    Long lists, objects and integers are described by their size.
    """
    if isinstance(value, dict | list) and len(value) > 8:
        return f"{_KINDS[type(value)]} of {len(value)} items"
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 200:
        return f"an integer of {value.bit_length()} bits"
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}…"
