"""Options with a number, and readers of option values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from lite.errors import ConfigError, GraphError
from lite.ir.types import UNKNOWN, DType, Layout, Place, Shape

F = TypeVar("F", bound=Callable[..., Any])
"""A command, or a function that becomes one."""

T = TypeVar("T")

_ANY = "any"


def count_option(
    name: str, help_text: str, *, default: int | None = None, minimum: int = 1
) -> Callable[[F], F]:
    """The option `name` with a number of at least `minimum`, called N in its help text."""
    return click.option(
        name,
        type=click.IntRange(min=minimum),
        default=default,
        show_default=default is not None,
        metavar="N",
        help=help_text,
    )


def named_text(text: str) -> tuple[str, str]:
    """``NAME=TEXT``; like all readers here, raises `click.BadParameter` for a text of another form."""
    name, sign, rest = text.partition("=")
    if not name or not sign:
        example = f"x={text.lstrip('=')}"
        raise click.BadParameter(
            f"expected NAME=…, got {text!r}; begin with an input's name, as in {example}"
        )
    return name, rest


def named_sizes(text: str) -> tuple[str, tuple[int, ...]]:
    """``NAME=1,3,224,224``: a shape, or the offsets of a LoD level."""
    name, rest = named_text(text)
    words = _split_at_commas(rest)
    if not all(word.isdecimal() for word in words):
        advice = "; an open size needs a number here, such as 1" if "-" in rest else ""
        raise click.BadParameter(f"expected NAME=1,3,224,224, got {text!r}{advice}")
    return name, tuple(int(word) for word in words)


def named_dims(text: str) -> tuple[str, Shape]:
    """``NAME=1,3,h,?``: sizes, symbols, and ``?`` for an open size."""
    name, rest = named_text(text)
    words = _split_at_commas(rest)
    if not all(word.isdecimal() or word == UNKNOWN or word.isidentifier() for word in words):
        raise click.BadParameter(f"expected NAME=1,3,224,{UNKNOWN}, got {text!r}")
    return name, tuple(int(word) if word.isdecimal() else word for word in words)


def by_name(option: str, pairs: tuple[tuple[str, T], ...]) -> Mapping[str, T]:
    """The values of a repeated option by name; raises `ConfigError` if a name occurs twice."""
    values: dict[str, T] = {}
    for name, value in pairs:
        if name in values:
            raise ConfigError(f"{option} is given twice for {name!r}")
        values[name] = value
    return values


def read_places(text: str) -> list[Place]:
    """``target[/dtype[/layout]]``, separated by commas, such as ``x86,npu/float16/nchw``."""
    return [_read_place(word.strip()) for word in text.split(",") if word.strip()]


def _read_place(text: str) -> Place:
    target, *rest = text.split("/")
    dtype, layout = [*rest, _ANY, _ANY][:2]
    if not target or len(rest) > 2:
        raise click.BadParameter(f"expected target[/dtype[/layout]], got {text!r}")
    try:
        return Place(target, None if dtype == _ANY else DType.from_name(dtype), Layout(layout))
    except (GraphError, ValueError) as error:
        raise click.BadParameter(f"{text!r}: {error}") from error


def _split_at_commas(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")] if text else []
