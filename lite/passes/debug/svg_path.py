"""Arrows as smooth SVG paths."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from lite.passes.debug.sheet import Bend

_STRAIGHT = 0.5
"""Pixels sideways below which a piece is drawn as a straight line."""


def path_data(bends: Sequence[Bend]) -> str:
    """The ``d`` of a path that is upright within layers and curved, with upright ends, between them."""
    return "".join(_commands(bends))


def number_text(value: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def _commands(bends: Sequence[Bend]) -> Iterator[str]:
    x, y = bends[0].x, bends[0].end
    yield f"M{number_text(x)} {number_text(bends[0].start)}"
    for left, entered in itertools.pairwise(bends):
        if abs(entered.x - x) < _STRAIGHT:
            y = entered.end
            continue
        if y != left.start or left.end != y:
            yield f"V{number_text(y)}"
        middle = number_text((y + entered.start) / 2)
        ends = f"{number_text(entered.x)} {middle} {number_text(entered.x)} {number_text(entered.start)}"
        yield f"C{number_text(x)} {middle} {ends}"
        x, y = entered.x, entered.end
    yield f"V{number_text(y)}"
