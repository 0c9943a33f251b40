"""Prints tables and JSON, and shows progress.

rich is imported only to draw a table or a progress bar, so that ``--help`` is fast.
"""

from __future__ import annotations

import dataclasses
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_PIPE_WIDTH = 100_000
"""Columns of a table that is not printed to a terminal: no line is wrapped."""


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "") -> None:
    """Print a title and a table with a header; numbers are aligned right.  Without rows, print ``none``."""
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
    """The text of a table's cell: ``-`` for None, yes or no, six digits of a float, ``a, b`` for a list."""
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
    """Print one name and value per line, with the values aligned."""
    width = max(len(name) for name in facts) + 2
    for name, value in facts.items():
        click.echo(f"{name:{width}}{cell_text(value)}")


def print_json(data: object) -> None:
    """Print one JSON document; floats that JSON lacks become the strings nan, inf and -inf."""
    click.echo(json.dumps(_json_value(data), indent=2))


def _json_value(data: object) -> object:
    if dataclasses.is_dataclass(data) and not isinstance(data, type):
        return {field.name: _json_value(getattr(data, field.name)) for field in dataclasses.fields(data)}
    if isinstance(data, Mapping):
        return {str(key): _json_value(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_json_value(item) for item in data]
    if isinstance(data, float) and not math.isfinite(data):
        return str(data)
    return data if data is None or isinstance(data, bool | int | float) else str(data)


_LONGEST_LINE = 100


@contextmanager
def progress(total: int, title: str) -> Iterator[Callable[[], None]]:
    """Show a progress bar on stderr if that is a terminal.

    Yields the function to call after each of `total` steps.
    """
    if not sys.stderr.isatty():
        yield lambda: None
        return
    with _progress_bar() as bar:
        task = bar.add_task(title, total=total)
        yield lambda: bar.advance(task)


@contextmanager
def counting(title: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show a progress bar whose length becomes known later, on stderr if that is a terminal.

    Yields the function to call with the steps done and the total, or None without a terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    with _progress_bar() as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def stages() -> Iterator[Callable[[str, int, int | None], None] | None]:
    """Show a progress bar for each stage of some work, on stderr if that is a terminal.

    Yields the function to call with the title of the stage, the steps done and, if it is known, the total.
    Without a terminal it yields None.
    """
    if not sys.stderr.isatty():
        yield None
        return
    with _progress_bar() as bar:
        tasks: dict[str, TaskID] = {}

        def advance(title: str, done: int, total: int | None) -> None:
            if title not in tasks:
                tasks[title] = bar.add_task(title, total=total)
            bar.update(tasks[title], completed=done, total=total)

        yield advance


@contextmanager
def running(title: str) -> Iterator[Callable[[str], None]]:
    """Show the last line that some work printed, on stderr; without a terminal, every line.

    Yields the function to call with each line.
    """
    if not sys.stderr.isatty():
        yield lambda line: click.echo(line, err=True)
        return
    from rich.console import Console

    with Console(stderr=True).status(title) as status:
        yield lambda line: status.update(f"{title}: {_escaped(line)}")


def _escaped(line: str) -> str:
    from rich.markup import escape

    return escape(line[:_LONGEST_LINE])


def _progress_bar() -> Progress:
    from rich.console import Console
    from rich.progress import Progress

    return Progress(console=Console(stderr=True), transient=True)
