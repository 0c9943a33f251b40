"""--target, --ram, --flash, --name and --output: source code from a model."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import click

from lite.codegen import TARGETS
from lite.dataclass import dataclass


@dataclass(frozen=True)
class SourceOptions:
    """The values of --target, --ram, --flash, --name and --output; the limits are in bytes."""

    target: str | None
    ram: int | None
    flash: int | None
    name: str
    outputs: tuple[str, ...]


def _size(_ctx: click.Context, _param: click.Parameter, value: str | None) -> int | None:
    found = re.fullmatch(r"(\d+)([KkMm]?)", value or "")
    if value is not None and found is None:
        raise click.BadParameter("expected a number of bytes such as 4096, 256K or 1M")
    return None if found is None else int(found[1]) * {"": 1, "k": 1024, "m": 1024**2}[found[2].lower()]


_OPTIONS = (
    click.option(
        "--target",
        type=click.Choice(sorted(TARGETS)),
        help="Write the model as C, or as a shared library, instead of compiling it for devices.",
    ),
    click.option("--ram", callback=_size, metavar="256K", help="C: refuse a model that needs more memory."),
    click.option("--flash", callback=_size, metavar="1M", help="C: refuse a model with more weights."),
    click.option(
        "--output",
        "outputs",
        metavar="NAME",
        multiple=True,
        help="C: a variable to compute instead of the model's outputs; repeat it for several.",
    ),
    click.option("--name", default="", help="C: the name in functions and files.  [default: MODEL's]"),
)


def source_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options, as `source`."""

    @functools.wraps(command)
    def call(*args: Any, **kwargs: Any) -> None:
        names = ("target", "ram", "flash", "name", "outputs")
        command(*args, source=SourceOptions(*(kwargs.pop(each) for each in names)), **kwargs)

    for option in reversed(_OPTIONS):
        call = option(call)
    return call
