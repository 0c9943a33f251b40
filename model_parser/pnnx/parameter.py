"""The grammar of parameter values."""

from __future__ import annotations

import re

from lite.errors import ModelParseError

Number = int | float
Parameter = None | bool | Number | str | list[Number | str]

TO_THE_END = 2**31 - 1
"""Stands for "to the end" or "not used" in lists of numbers."""

_NOT_FINITE = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan"), "nan.0": float("nan")}
_NUMBER = re.compile(r"-?\d")
_INTEGER = re.compile(r"-?\d+")
_LARGEST_TEXT = 400
"""Longer than any number; Python refuses to convert digits without end."""

_LARGEST = 2**63 - 1


def parse_parameter(text: str) -> Parameter:
    """The value that a parameter's text says; raises `ModelParseError` for a number that is none.

    What begins as a number is one, ``None`` and empty lists are None, the rest is text.  Not finite
    numbers are read, too: pnnx writes them, though its own grammar takes them for text.
    """
    if "%" in text:
        return text
    if text in ("None", "()", "[]"):
        return None
    if text in ("True", "False"):
        return text == "True"
    if text[:1] in ("(", "["):
        return _list(text)
    return _scalar(text)


def _list(text: str) -> list[Number | str]:
    if text[-1] not in ")]" or any(bracket in text[1:-1] for bracket in "()[]"):
        raise ModelParseError(f"expected a list without nesting, got {text!r}")
    items = [_scalar(item) for item in text[1:-1].rstrip(",").split(",")]
    if any(isinstance(item, float) for item in items):
        return [float(item) if isinstance(item, int) else item for item in items]
    return items


def _scalar(text: str) -> Number | str:
    if text in _NOT_FINITE:
        return _NOT_FINITE[text]
    if not _NUMBER.match(text):
        return text
    if len(text) > _LARGEST_TEXT:
        raise ModelParseError(f"expected a number, got {len(text)} characters: {text[:20]}...")
    if _INTEGER.fullmatch(text):
        return _whole(text)
    try:
        return float(text)
    except ValueError:
        raise ModelParseError(f"expected a number, got {text!r}") from None


def _whole(text: str) -> int:
    number = int(text)
    if not -_LARGEST - 1 <= number <= _LARGEST:
        raise ModelParseError(f"expected a number of 64 bits, got {text}")
    return number
