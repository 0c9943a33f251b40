"""Attributes of a node: numbers, text and lists of integers, read by type."""

from __future__ import annotations

from collections.abc import Mapping

from lite.bridges.sim_npu.sdk.errors import NpuError, Status

Attribute = bool | int | float | str | list[int]
Attributes = Mapping[str, Attribute]


def integer(attributes: Attributes, name: str, low: int, high: int) -> int:
    """An integer from `low` to `high`, both included."""
    value = attributes[name]
    if not isinstance(value, int) or isinstance(value, bool):
        raise _error(name, "an integer", value)
    if not low <= value <= high:
        raise NpuError(Status.LIMIT_EXCEEDED, f"{name} {value} (supported: {low} to {high})")
    return value


def integers(attributes: Attributes, name: str, count: int) -> list[int]:
    """A list of `count` integers."""
    value = attributes[name]
    if not isinstance(value, list) or len(value) != count:
        raise _error(name, f"a list of {count} integers", value)
    return value


def real(attributes: Attributes, name: str) -> float:
    """A number."""
    value = attributes[name]
    if not isinstance(value, int | float):
        raise _error(name, "a number", value)
    return float(value)


def choice(attributes: Attributes, name: str, *words: str) -> str:
    """One of `words`."""
    value = attributes[name]
    if value not in words:
        raise _error(name, " or ".join(words), value)
    return str(value)


def flag(attributes: Attributes, name: str) -> bool:
    """True or false."""
    value = attributes[name]
    if not isinstance(value, bool):
        raise _error(name, "true or false", value)
    return value


def _error(name: str, expected: str, got: object) -> NpuError:
    return NpuError(Status.INVALID_ATTRIBUTE, f"{name} must be {expected}, got {got!r}")
