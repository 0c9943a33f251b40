"""Binds the options of a spec to the fields of a dataclass, and checks their types."""

from __future__ import annotations

import dataclasses
import functools
import pathlib
import types
import typing
from typing import TypeVar

from lite.errors import ConfigError, suggest
from lite.spec.file_option import FileOption
from lite.spec.grammar import Spec, SpecValue, value_text

T = TypeVar("T")

_TYPE_WORDS: dict[object, str] = {
    bool: "true or false",
    int: "an integer",
    float: "a number",
    str: "text",
    pathlib.Path: "a path",
    FileOption: "the path of a file",
    Spec: "name{key=value, …}",
    type(None): "nothing",
}


class _Misfit(Exception):  # noqa: N818 - ends `_fitted`, is not a failure
    """Raised by `_fitted` for a value of another type."""


def bind(spec: Spec, cls: type[T], what: str) -> T:
    """An instance of the dataclass `cls` with the options of a spec as its fields.

    The types of fields may be bool, int, float, str, Path, `FileOption`, `Spec`, ``tuple[T, ...]``, Literal,
    and unions of these.  Messages start with `what`, such as "pass" or "device".  Raises `ConfigError` for
    an unknown or missing option and for a value of another type.
    """
    fields = {field.name: field for field in dataclasses.fields(cls) if field.init}  # type: ignore[arg-type]
    owner: type = cls
    hints = _hints(owner) if spec.options else {}
    values: dict[str, object] = {}
    for key, value in spec.options:
        if key not in fields:
            options = ", ".join(fields) or "none"
            raise ConfigError(
                f"{what} {spec.name}: no option {key!r}{suggest(key, fields)} (options: {options})"
            )
        try:
            values[key] = _fitted(value, hints[key])
        except _Misfit:
            expected = _type_text(hints[key])
            got = value_text(value)
            raise ConfigError(f"{what} {spec.name}: option {key}: expected {expected}, got {got}") from None
    missing = [name for name, field in fields.items() if name not in values and _is_required(field)]
    if missing:
        raise ConfigError(f"{what} {spec.name}: option {missing[0]} is missing")
    return cls(**values)


@functools.cache
def _hints(cls: type) -> dict[str, object]:
    return typing.get_type_hints(cls)


def _is_required(field: dataclasses.Field[object]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _fitted(value: SpecValue, hint: object) -> object:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _fitted_to_one(value, arguments)
    if origin is typing.Literal:
        if value not in arguments:
            raise _Misfit
        return value
    if origin is tuple:
        if not isinstance(value, tuple):
            raise _Misfit
        return tuple(_fitted(item, arguments[0]) for item in value)
    if hint is float and type(value) is int:
        return float(value)
    if hint is pathlib.Path and isinstance(value, str):
        return pathlib.Path(value)
    if hint is FileOption and isinstance(value, str):
        return FileOption(pathlib.Path(value))
    if type(value) is not hint:
        raise _Misfit
    return value


def _fitted_to_one(value: SpecValue, hints: tuple[object, ...]) -> object:
    for hint in hints:
        try:
            return _fitted(value, hint)
        except _Misfit:
            continue
    raise _Misfit


def _type_text(hint: object) -> str:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_type_text(argument) for argument in arguments if argument is not type(None))
    if origin is typing.Literal:
        return "one of " + ", ".join(str(argument) for argument in arguments)
    if origin is tuple:
        return f"a list [{_type_text(arguments[0])}, …]"
    return _TYPE_WORDS.get(hint, str(hint))
