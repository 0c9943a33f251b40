"""Options of commands that run a model: --threads, --tolerance and --floor."""

from __future__ import annotations

from collections.abc import Iterable

import click

from lite.plugin.device import FLOAT32
from lite.plugin.device.opening import open_device
from lite.tools.options.values import F, count_option

TOLERANCE = FLOAT32.tolerance
"""The default of --tolerance without devices."""

FLOOR = 1e-6
"""The default of --floor."""


def floor_option(command: F) -> F:
    """Add the option --floor, which the command receives as `floor`."""
    return click.option(
        "--floor",
        type=click.FloatRange(min=0),
        default=FLOOR,
        show_default=True,
        metavar="X",
        help="Also accept floats with max|got-expected| <= X, whatever their relative error.",
    )(command)


def threads_option(command: F) -> F:
    """Add the option --threads, which the command receives as `threads`."""
    return count_option("--threads", "Use at most N cores for a run.", default=1)(command)


def tolerance_option(command: F) -> F:
    """Add the option --tolerance, received as `tolerance`; None stands for the default of `tolerance_of`."""
    return click.option(
        "--tolerance",
        type=click.FloatRange(min=0),
        default=None,
        metavar="X",
        help="Accept floats with max|got-expected| <= X * max|expected|.  Integers must be equal.  "
        f"[default: that of the devices' precision, {TOLERANCE:g} on the host]",
    )(command)


def tolerance_of(given: float | None, devices: Iterable[str]) -> float:
    """The tolerance that a user gave, or else the largest one of these devices.

    Raises `ConfigError` for a device that is not installed.
    """
    if given is not None:
        return given
    return max((open_device(text).precisions[0].tolerance for text in devices), default=TOLERANCE)
