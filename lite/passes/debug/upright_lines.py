"""Upright lines: cells that belong under one another stand there, where their neighbours leave room.

The lines are the blocks of U. Brandes and B. Köpf (2002): each cell with the heaviest of its joins
upwards, if that is also the heaviest downwards of the cell above.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from lite.passes.debug.cells import SIDE, Cells, Join

_ROUNDS = 2
"""Moving one line makes room for another."""

_STIFFNESS = 30.0

Line = list[Join]
"""Joins from top to bottom, each between cells of the next one."""


def find_lines(cells: Cells) -> list[Line]:
    """The lines of main edges, the longest first; among equal joins that of the shortest edge goes before."""
    up: dict[int, Join] = {}
    down: dict[int, Join] = {}
    joins = [join for join in cells.joins.values() if join.weight > SIDE]
    for join in sorted(joins, key=lambda join: (-join.weight, join.span)):
        up.setdefault(join.lower, join)
        down.setdefault(join.upper, join)
    following = {cell: join for cell, join in down.items() if up[join.lower] is join}
    reached = {join.lower for join in following.values()}
    lines = []
    for start in following:
        if start not in reached:
            line = [following[start]]
            while line[-1].lower in following:
                line.append(following[line[-1].lower])
            lines.append(line)
    return sorted(lines, key=len, reverse=True)


def cells_of(line: Line) -> list[int]:
    """The cells of a line from top to bottom."""
    return [line[0].upper, *(join.lower for join in line)]


def stiffen(lines: Sequence[Line]) -> None:
    """Let the joins of lines weigh more than what pulls at their sides."""
    for line in lines:
        for join in line:
            join.weight *= _STIFFNESS


def straighten(
    cells: Cells, lines: Sequence[Line], layers: Sequence[Sequence[int]], places: list[float], gap: float
) -> None:
    """Move the cells of each line to one place, or to as few as there is room for."""
    room = _Room(layers, cells.widths, places, gap)
    for _ in range(_ROUNDS):
        for line in lines:
            _straighten_line(line, room, places)


def _straighten_line(line: Line, room: _Room, places: list[float]) -> None:
    run: list[tuple[int, float]] = []
    low, high = -math.inf, math.inf
    shift = 0.0
    shifts = [(line[0].upper, shift)]
    for join in line:
        shift += join.upper_offset - join.lower_offset
        shifts.append((join.lower, shift))
    for cell, shift in shifts:
        first, last = (end - shift for end in room.of(cell))
        if max(low, first) > min(high, last):
            _move(run, places, low, high)
            run, low, high = [], -math.inf, math.inf
        run.append((cell, shift))
        low, high = max(low, first), min(high, last)
    _move(run, places, low, high)


def _move(run: Sequence[tuple[int, float]], places: list[float], low: float, high: float) -> None:
    starts = sorted(places[cell] - shift for cell, shift in run)
    start = min(max(starts[len(starts) // 2], low), high)
    for cell, shift in run:
        places[cell] = start + shift


class _Room:
    """How far a cell can move without touching its neighbours on its layer."""

    def __init__(
        self, layers: Sequence[Sequence[int]], widths: Sequence[float], places: Sequence[float], gap: float
    ) -> None:
        self._widths, self._places, self._gap = widths, places, gap
        self._left: dict[int, int] = {}
        self._right: dict[int, int] = {}
        for layer in layers:
            for left, right in zip(layer, layer[1:], strict=False):
                self._left[right], self._right[left] = left, right

    def of(self, cell: int) -> tuple[float, float]:
        """The least and the greatest place of its centre."""
        low, high = -math.inf, math.inf
        if cell in self._left:
            left = self._left[cell]
            low = self._places[left] + (self._widths[left] + self._widths[cell]) / 2 + self._gap
        if cell in self._right:
            right = self._right[cell]
            high = self._places[right] - (self._widths[right] + self._widths[cell]) / 2 - self._gap
        # A cell that rounding has pressed between its neighbours stays.
        place = self._places[cell]
        return min(low, place), max(high, place)
