"""Prints tables and JSON, and shows progress.

rich is imported only to draw a progress bar, so that ``--help`` is fast.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import math
import shutil
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from lite.tools.table import fitted_table

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_WIDE = "litebridge.wide"


def line_width() -> int | None:
    """The columns that a line may take: those of the terminal, 80 in a pipe, and None with --wide."""
    context = click.get_current_context(silent=True)
    if context is not None and context.meta.get(_WIDE):
        return None
    return shutil.get_terminal_size((80, 24)).columns


def set_wide(context: click.Context) -> None:
    """Print whole tables and lines from now on, whatever the width of the terminal."""
    context.meta[_WIDE] = True


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "", *, drop: Sequence[str] = ()
) -> None:
    """Print a title and a table with a header; numbers are aligned right.  Without rows, print ``none``.

    The table fits `line_width`: sentences wrap, and columns are left out, those of `drop` first and then the
    last ones, with a line that names them.
    """
    if title:
        click.secho(title, bold=True)
    cells = [list(row) for row in rows]
    if not cells:
        click.echo("none")
        return
    right = [number for number in range(len(columns)) if all(_is_number(row[number]) for row in cells)]
    texts = [[cell_text(cell) for cell in row] for row in cells]
    table = fitted_table(columns, texts, right, line_width(), drop)
    click.secho(table.lines[0], bold=True)
    for line in table.lines[1:]:
        click.echo(line)
    if table.left_out:
        print_text(f"(--wide shows {', '.join(table.left_out)}, too)")


def print_text(text: str, indent: str = "") -> None:
    """Print a sentence, in several lines if it is longer than `line_width`; words are not broken."""
    width = line_width()
    if width is None or len(text) <= width:
        click.echo(text)
        return
    for line in wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False):
        click.echo(line)


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
    """Print one name and value per line, with the values aligned; long values wrap below themselves."""
    width = max(len(name) for name in facts) + 2
    for name, value in facts.items():
        text = cell_text(value)
        if " " in text:
            print_text(f"{name:{width}}{text}", " " * width)
        else:
            click.echo(f"{name:{width}}{text}")


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


PATIENCE = 2.0
"""Seconds of work without a word."""

_COMPILER = "lite.kernels.cpu.native.code_store"
"""The logger that has a debug message for each kernel that was compiled."""


@contextmanager
def working(title: str) -> Iterator[None]:
    """Show what takes so long, after `PATIENCE`, and how many kernels were compiled; on a terminal only."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    status = Console(stderr=True).status(title)
    compiled = _Counter(lambda count: status.update(f"{title}: {count} kernels compiled"))
    timer = threading.Timer(PATIENCE, status.start)
    log = logging.getLogger(_COMPILER)
    level = log.level
    log.addHandler(compiled)
    log.setLevel(logging.DEBUG)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()
        log.removeHandler(compiled)
        log.setLevel(level)


class _Counter(logging.Handler):
    """Calls a function with the number of debug messages so far."""

    def __init__(self, show: Callable[[int], None]) -> None:
        super().__init__()
        self._show = show
        self._count = 0

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno == logging.DEBUG:
            self._count += 1
            self._show(self._count)


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
    from rich.progress import MofNCompleteColumn, Progress

    columns = (*Progress.get_default_columns(), MofNCompleteColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
