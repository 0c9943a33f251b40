"""Lists of places as the command line has them: ``x86,npu/float16/nchw``."""

from __future__ import annotations

import click

from lite.errors import GraphError
from lite.ir.types import DType, Layout, Place

_ANY = "any"


def read_places(text: str) -> list[Place]:
    """Targets in order of preference, each ``target[/dtype[/layout]]``; else a usage error."""
    return [_read_place(word.strip()) for word in text.split(",") if word.strip()]


def _read_place(text: str) -> Place:
    target, *rest = text.split("/")
    dtype, layout = [*rest, _ANY, _ANY][:2]
    if not target or len(rest) > 2:
        raise click.BadParameter(f"expected target[/dtype[/layout]], got {text!r}")
    try:
        return Place(target, None if dtype == _ANY else DType.from_name(dtype), Layout(layout))
    except (GraphError, ValueError) as error:
        raise click.BadParameter(f"{text!r}: {error}") from error
