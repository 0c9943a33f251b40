"""Arrows as smooth SVG paths."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from lite.passes.debug.sheet import Bend

HEAD = 7.0
"""Length of an arrow's head in pixels."""

_STRAIGHT = 0.5
"""Pixels sideways below which a piece is drawn as a straight line."""


def path_data(bends: Sequence[Bend]) -> str:
    """The ``d`` of a path that is upright within layers and curved, with upright ends, between them."""
    return "".join(_commands(bends))


def number_text(value: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def _commands(bends: Sequence[Bend]) -> Iterator[str]:
    x, y, drawn = bends[0].x, bends[0].end, bends[0].start
    yield f"M{number_text(x)} {number_text(drawn)}"
    for bend in bends[1:]:
        if abs(bend.x - x) >= _STRAIGHT:
            if y != drawn:
                yield f"V{number_text(y)}"
            # The head of the arrow is upright.
            drawn = bend.end - math.copysign(min(HEAD, abs(bend.end - y) / 2), bend.end - y)
            drawn = min(bend.start, drawn) if bend.end > y else max(bend.start, drawn)
            middle = number_text((y + drawn) / 2)
            yield f"C{number_text(x)} {middle} {number_text(bend.x)} {middle} "
            yield f"{number_text(bend.x)} {number_text(drawn)}"
            x = bend.x
        y = bend.end
    if y != drawn:
        yield f"V{number_text(y)}"
