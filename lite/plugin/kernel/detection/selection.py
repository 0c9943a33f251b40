"""The choice of boxes within classes: its parameters, and the type of functions that make it."""

from __future__ import annotations

from collections.abc import Callable

from lite.dataclass import dataclass
from lite.ir.types import Array


@dataclass(frozen=True)
class Selection:
    """Which boxes of a class are candidates, and which of those are chosen.

    Scores must be above `least`; the best `candidates` (-1: all) take part, until `limit` (-1: all) are
    chosen.  `threshold`, `eta` and `normalized` are those of `greedy_nms` and `box_area`; the class
    `background` has no boxes.
    """

    least: float
    threshold: float
    eta: float = 1.0
    candidates: int = -1
    limit: int = -1
    normalized: bool = True
    background: int = -1


Search = Callable[[Array, Array, Selection], tuple[Array, Array]]
"""Labels and box numbers of the chosen boxes, by label and falling score.

Boxes (x1, y1, x2, y2) are ``[classes, boxes, 4]``, or ``[1, boxes, 4]`` for all classes; scores are
``[classes, boxes]``.
"""
