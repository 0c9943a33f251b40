"""Arguments and options that commands share, and the types of their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import click

from lite.config import Config
from lite.errors import ConfigError
from lite.ir.types import Shape
from lite.passes.spec import split_specs

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_DEBUG = "litebridge.debug"


class _Named(click.ParamType, Generic[T]):
    """``NAME=…``: the name and what `read` makes of the rest."""

    def __init__(self, metavar: str, read: Callable[[str], T]) -> None:
        self.name = metavar
        self._read = read

    def convert(
        self, value: str | tuple[str, T], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, T]:
        """Ends with a usage error for text of another form."""
        if isinstance(value, tuple):
            return value
        name, sign, text = value.partition("=")
        if not name or not sign:
            self.fail(f"{value!r} is not of the form {self.name}", param, ctx)
        try:
            return name, self._read(text)
        except ValueError:
            self.fail(f"{value!r} is not of the form {self.name}", param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """The form, as help shows it."""
        return self.name


def _sizes(text: str) -> tuple[int, ...]:
    sizes = tuple(int(word) for word in text.split(",")) if text else ()
    if any(size < 0 for size in sizes):
        raise ValueError
    return sizes


def _dims(text: str) -> Shape:
    words = [word.strip() for word in text.split(",")] if text else []
    if any(not (word.isdecimal() or word == "?" or word.isidentifier()) for word in words):
        raise ValueError
    return tuple(int(word) if word.isdecimal() else word for word in words)


NAMED_TEXT = _Named("NAME=SOURCE", str)
NAMED_SIZES = _Named("NAME=1,3,224,224", _sizes)
NAMED_OFFSETS = _Named("NAME=0,2,5", _sizes)
NAMED_DIMS = _Named("NAME=1,3,224,?", _dims)


def model_argument(command: F) -> F:
    """MODEL and --params: `model`, `params`."""
    command = click.option(
        "--params",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The parameters, where they are not beside the model file.",
    )(command)
    return click.argument("model", type=click.Path(path_type=Path))(command)


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
