"""The grammar of parameter values in a ``.pnnx.param`` file."""

from __future__ import annotations

import re

from lite.errors import ModelParseError

Number = int | float
Parameter = None | bool | Number | str | list[Number | str]

TO_THE_END = 2**31 - 1
"""Means "to the end" or "not used" in lists of numbers."""

_NOT_FINITE = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan"), "nan.0": float("nan")}
_NUMBER = re.compile(r"-?\d")
_INTEGER = re.compile(r"-?\d+")
_MAX_DIGITS = 400
"""Longer than any number; Python limits the digits of an integer that it converts."""

_MAX_INTEGER = 2**63 - 1


def parse_parameter(text: str) -> Parameter:
    """The value of a parameter; raises `ModelParseError` for a malformed number.

    A text that begins like a number is a number, ``None`` and empty lists are None, any other text is a
    string.  ``inf`` and ``nan`` are numbers: pnnx writes them, although it reads them as strings.
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
    if len(text) > _MAX_DIGITS:
        raise ModelParseError(f"expected a number, got {len(text)} characters: {text[:20]}...")
    if _INTEGER.fullmatch(text):
        return _integer(text)
    try:
        return float(text)
    except ValueError:
        raise ModelParseError(f"expected a number, got {text!r}") from None


def _integer(text: str) -> int:
    number = int(text)
    if not -_MAX_INTEGER - 1 <= number <= _MAX_INTEGER:
        raise ModelParseError(f"expected a number of 64 bits, got {text}")
    return number
