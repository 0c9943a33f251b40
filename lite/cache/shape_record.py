"""Shapes as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lite.ir.types import Shape


def shape_of(record: Sequence[Any] | None) -> Shape | None:
    """The shape that JSON stores as a list; raises `ValueError` for a size that is no integer or name."""
    if record is None:
        return None
    for size in record:
        if type(size) not in (int, str):
            raise ValueError(f"a size of the shape {list(record)} is {size!r}, expected an integer or a name")
    return tuple(record)
