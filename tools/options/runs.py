"""Options of commands that run a model: --threads and --tolerance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

TOLERANCE = 1e-3
"""The default of --tolerance."""


def threads_option(command: F) -> F:
    """--threads, as `threads`."""
    return click.option(
        "--threads",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        metavar="N",
        help="Use at most N cores for a run.",
    )(command)


def tolerance_option(command: F) -> F:
    """--tolerance, as `tolerance`."""
    return click.option(
        "--tolerance",
        type=click.FloatRange(min=0),
        default=TOLERANCE,
        show_default=True,
        metavar="X",
        help="Accept floats with max|got-expected| <= X * max|expected|.  Integers must be equal.",
    )(command)
