"""Upright lines: chains of cells that stand exactly under one another.

They are the blocks of U. Brandes and B. Köpf (2002): each cell with the heaviest of its joins upwards,
if that is also the heaviest downwards of the cell above.  Lines do not cross, so all of them can be
upright at once.
"""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Sequence

from lite.passes.debug.cells import SIDE, Cells, Join

_STIFFNESS = 30.0

Line = list[Join]
"""Joins from top to bottom, each between cells of the next one."""


def find_lines(cells: Cells, layers: Sequence[Sequence[int]]) -> list[Line]:
    """The lines of main edges; of two joins that cross, or leave one cell, that of the shorter edge stays."""
    place = {cell: number for layer in layers for number, cell in enumerate(layer)}
    kept: dict[int, list[tuple[int, int]]] = defaultdict(list)
    up: dict[int, Join] = {}
    down: dict[int, Join] = {}
    joins = [join for join in cells.joins.values() if join.weight > SIDE]
    for join in sorted(joins, key=lambda join: (-join.weight, join.span)):
        ends = place[join.upper], place[join.lower]
        pairs = kept[cells.layer_of[join.upper]]
        if join.lower not in up and join.upper not in down and not _crosses(ends, pairs):
            up[join.lower] = down[join.upper] = join
            pairs.insert(bisect(pairs, ends), ends)
    return list(_chained(up, down))


def stiffen(lines: Sequence[Line]) -> None:
    """Let the joins of lines weigh more than what pulls at their sides."""
    for line in lines:
        for join in line:
            join.weight *= _STIFFNESS


def cells_of(line: Line) -> list[int]:
    """The cells of a line from top to bottom."""
    return [line[0].upper, *(join.lower for join in line)]


def _crosses(ends: tuple[int, int], pairs: Sequence[tuple[int, int]]) -> bool:
    at = bisect(pairs, ends)
    return (at > 0 and pairs[at - 1][1] > ends[1]) or (at < len(pairs) and pairs[at][1] < ends[1])


def _chained(up: dict[int, Join], down: dict[int, Join]) -> Iterator[Line]:
    for start, join in down.items():
        if start not in up:
            line = [join]
            while line[-1].lower in down:
                line.append(down[line[-1].lower])
            yield line
