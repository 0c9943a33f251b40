"""--json, --debug, --out of a page, and the exit status of a command."""

from __future__ import annotations

from pathlib import Path

import click

from lite.tools.options.values import F
from lite.tools.terminal import set_wide

FAILED = 1
"""The exit status after an error.  Click exits with 2 after a usage error."""

ANSWER_IS_NO = 3
"""The exit status of a check that found a difference, a wrong answer or damage."""

_DEBUG = "litebridge.debug"


def json_option(command: F) -> F:
    """--json, as `as_json`, and --wide, which the functions that print obey."""
    wide = click.option(
        "--wide",
        is_flag=True,
        expose_value=False,
        callback=_store_wide,
        help="Print all columns and whole lines, wider than the terminal or 80 columns.",
    )
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(wide(command))


def page_option(command: F) -> F:
    """--out, for `print_or_write`."""
    text = "Write the page to this file instead of printing it."
    return click.option("--out", type=click.Path(path_type=Path), help=text)(command)


def print_or_write(page: str, out: Path | None) -> None:
    """Print a page, or write it to the file `out`."""
    if out is None:
        click.echo(page)
    else:
        write_file(out, page)
        click.echo(f"wrote {out}")


def write_file(path: Path, text: str) -> None:
    """Write a file, and create the folder that it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def debug_option(command: F) -> F:
    """--debug, for `wants_traceback`."""
    return click.option(
        "--debug",
        is_flag=True,
        expose_value=False,
        callback=_store_debug,
        help="Show the traceback of an error.",
    )(command)


def wants_traceback(ctx: click.Context) -> bool:
    """Whether --debug was given, before or after the name of the command."""
    return bool(ctx.meta.get(_DEBUG))


def _store_wide(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        set_wide(ctx)


def _store_debug(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[_DEBUG] = True
