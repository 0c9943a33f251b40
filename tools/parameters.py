"""Arguments and options that commands share, and the types of their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from lite.config import Config
from lite.errors import ConfigError
from lite.ir.types import UNKNOWN, Shape
from lite.spec.grammar import split_specs

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_DEBUG = "litebridge.debug"


def named_text(text: str) -> tuple[str, str]:
    """``NAME=TEXT``; ends with a usage error for another form, like all readers of option values here."""
    name, sign, rest = text.partition("=")
    if not name or not sign:
        raise click.BadParameter(f"expected NAME=…, got {text!r}")
    return name, rest


def named_sizes(text: str) -> tuple[str, tuple[int, ...]]:
    """``NAME=1,3,224,224``; a shape, or the offsets of a LoD level."""
    name, rest = named_text(text)
    words = _words(rest)
    if not all(word.isdecimal() for word in words):
        raise click.BadParameter(f"expected NAME=1,3,224,224, got {text!r}")
    return name, tuple(int(word) for word in words)


def named_dims(text: str) -> tuple[str, Shape]:
    """``NAME=1,3,h,?``: sizes, names of sizes, and ``?`` for any."""
    name, rest = named_text(text)
    words = _words(rest)
    if not all(word.isdecimal() or word == UNKNOWN or word.isidentifier() for word in words):
        raise click.BadParameter(f"expected NAME=1,3,224,{UNKNOWN}, got {text!r}")
    return name, tuple(int(word) if word.isdecimal() else word for word in words)


def params_option(command: F) -> F:
    """--params: `params`."""
    return click.option(
        "--params",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The parameters, where they are not beside the model file.",
    )(command)


def model_argument(command: F) -> F:
    """MODEL and --params: `model`, `params`."""
    return click.argument("model", type=click.Path(path_type=Path))(params_option(command))


def passes_option(command: F) -> F:
    """-p: `passes`, a list of specs or None."""
    return click.option(
        "-p",
        "--passes",
        metavar="LIST",
        callback=_read_passes,
        help="Passes instead of the default ones: 'name,name{key=value}'.  Mandatory ones are added; "
        "`litebridge passes` lists them all.",
    )(command)


def json_option(command: F) -> F:
    """--json: `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


def debug_option(command: F) -> F:
    """--debug, kept for `wants_traceback`."""
    return click.option(
        "--debug",
        is_flag=True,
        expose_value=False,
        callback=_note_debug,
        help="Show the traceback of an error.",
    )(command)


def wants_traceback(ctx: click.Context) -> bool:
    """Whether --debug was given, to the program or to the command."""
    return bool(ctx.meta.get(_DEBUG))


def model_config(model: Path, params: Path | None, **settings: Any) -> Config:
    """The Config of MODEL and --params with further settings of Config."""
    if params is None:
        return Config(model_dir=model, **settings)
    return Config(model_file=model, params_file=params, **settings)


def by_name(option: str, pairs: tuple[tuple[str, T], ...]) -> Mapping[str, T]:
    """The values of an option by name; raises `ConfigError` for a name given twice."""
    found: dict[str, T] = {}
    for name, value in pairs:
        if name in found:
            raise ConfigError(f"{option} is given twice for {name!r}")
        found[name] = value
    return found


def _note_debug(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[_DEBUG] = True


def _read_passes(_: click.Context, __: click.Parameter, value: str | None) -> list[str] | None:
    return None if value is None else split_specs(value)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")] if text else []
