"""Options of commands that run a model: --threads and --tolerance."""

from __future__ import annotations

import click

from lite.tools.options.values import F, count_option

TOLERANCE = 1e-3
"""The default of --tolerance."""


def threads_option(command: F) -> F:
    """--threads, as `threads`."""
    return count_option("--threads", "Use at most N cores for a run.", default=1)(command)


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
