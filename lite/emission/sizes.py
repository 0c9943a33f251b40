"""Sizes for conversions on trial, where some are not known yet."""

from __future__ import annotations

from lite.ir.types import Shape
from lite.ops.view import Meta

GUESS = 224
"""Stands for a size that is not known when regions are formed."""


def sizes(meta: Meta) -> tuple[int, ...]:
    """The shape as numbers; a size that is not known yet is `GUESS`."""
    return numbers(meta.dims)


def numbers(dims: Shape) -> tuple[int, ...]:
    """Sizes as numbers; one that is not known yet is `GUESS`."""
    return tuple(dim if isinstance(dim, int) else GUESS for dim in dims)
