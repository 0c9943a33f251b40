"""How commands print: tables, JSON, progress.

rich is imported when a table or a bar is really drawn, so that ``--help`` need not wait for it.
"""

from __future__ import annotations

import dataclasses
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import click

_PIPE_WIDTH = 100_000
"""Columns where nobody looks at a screen: no line is ever broken."""


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "") -> None:
    """A table with a header line; numbers stand to the right.  Without rows, only ``none``."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if title:
        click.secho(title, bold=True)
    cells = [list(row) for row in rows]
    if not cells:
        click.echo("none")
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for number, column in enumerate(columns):
        numeric = all(_is_number(row[number]) for row in cells)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in cells:
        table.add_row(*(Text(cell_text(cell)) for cell in row))
    console = Console(width=None if sys.stdout.isatty() else _PIPE_WIDTH)
    with console.capture() as capture:
        console.print(table)
    for text in capture.get().splitlines():
        click.echo(text.rstrip())


def _is_number(cell: object) -> bool:
    return cell is None or (isinstance(cell, int | float) and not isinstance(cell, bool))


def cell_text(cell: object) -> str:
    """Text of a table's cell: ``-`` for None, yes and no, six digits of a float, ``a, b`` for a list."""
    if cell is None:
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:.6g}"
    if isinstance(cell, list | tuple):
        return ", ".join(cell_text(item) for item in cell)
    return str(cell)


def print_facts(facts: Mapping[str, object]) -> None:
    """Names and values, one pair a line, values below each other."""
    width = max(len(name) for name in facts) + 2
    for name, value in facts.items():
        click.echo(f"{name:{width}}{cell_text(value)}")


def print_json(data: object) -> None:
    """One JSON document; floats that JSON cannot say are the texts nan, inf and -inf."""
    click.echo(json.dumps(_plain(data), indent=2))


def _plain(data: object) -> object:
    if dataclasses.is_dataclass(data) and not isinstance(data, type):
        return {field.name: _plain(getattr(data, field.name)) for field in dataclasses.fields(data)}
    if isinstance(data, Mapping):
        return {str(key): _plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_plain(item) for item in data]
    if isinstance(data, float) and not math.isfinite(data):
        return str(data)
    return data if data is None or isinstance(data, bool | int | float) else str(data)


@contextmanager
def progress(total: int, what: str) -> Iterator[Callable[[], None]]:
    """A bar on stderr, if that is a terminal; the function to call after each of `total` steps."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar like that of `progress`, whose length is known later: it is told done and total.  None without a
    terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
