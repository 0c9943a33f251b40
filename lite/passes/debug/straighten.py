"""Makes lines of cells upright without letting cells overlap."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from lite.passes.debug.cells import Cells
from lite.passes.debug.upright_lines import Line, cells_of

_ROUNDS = 12


@dataclass
class _Block:
    """A line, or a cell that is in none: each cell, and how far right of the block's place it stands."""

    cells: list[tuple[int, float]]
    right: list[tuple[int, float]] = field(default_factory=list)
    """The blocks that have to stand right of this one, and how far at least."""


def straighten(
    cells: Cells, lines: Sequence[Line], layers: Sequence[Sequence[int]], places: list[float], gap: float
) -> None:
    """Move every line to one place, near where its cells are and then near what it is joined to."""
    blocks = _blocks(cells, lines)
    block_of = {cell: number for number, block in enumerate(blocks) for cell, _ in block.cells}
    shift_of = {cell: shift for block in blocks for cell, shift in block.cells}
    for layer in layers:
        for left, right in itertools.pairwise(layer):
            distance = (cells.widths[left] + cells.widths[right]) / 2 + gap + shift_of[left] - shift_of[right]
            blocks[block_of[left]].right.append((block_of[right], distance))
    order = _from_left_to_right(blocks)
    wishes = [_median([places[cell] - shift for cell, shift in block.cells]) for block in blocks]
    for number in range(_ROUNDS):
        placed = _nearest(blocks, order, wishes)
        if number < _ROUNDS - 1:
            wishes = _pulled(cells, block_of, shift_of, placed)
    for block, place in zip(blocks, placed, strict=True):
        for cell, shift in block.cells:
            places[cell] = place + shift


def _blocks(cells: Cells, lines: Sequence[Line]) -> list[_Block]:
    blocks = []
    alone = set(range(len(cells.widths)))
    for line in lines:
        shift = 0.0
        block = _Block([(line[0].upper, shift)])
        for join in line:
            shift += join.upper_offset - join.lower_offset
            block.cells.append((join.lower, shift))
        alone.difference_update(cells_of(line))
        blocks.append(block)
    return [*blocks, *(_Block([(cell, 0.0)]) for cell in sorted(alone))]


def _from_left_to_right(blocks: Sequence[_Block]) -> list[int]:
    """The blocks in an order in which each comes before those right of it; lines do not cross."""
    waiting = [0] * len(blocks)
    for block in blocks:
        for right, _ in block.right:
            waiting[right] += 1
    order = [number for number, count in enumerate(waiting) if not count]
    for number in order:
        for right, _ in blocks[number].right:
            waiting[right] -= 1
            if not waiting[right]:
                order.append(right)
    return order


def _nearest(blocks: Sequence[_Block], order: Sequence[int], wishes: Sequence[float]) -> list[float]:
    """Places near the wishes with all distances kept: between what only gives way to either side."""
    rightmost = list(wishes)
    for number in order:
        for right, distance in blocks[number].right:
            rightmost[right] = max(rightmost[right], rightmost[number] + distance)
    leftmost = list(wishes)
    for number in reversed(order):
        for right, distance in blocks[number].right:
            leftmost[number] = min(leftmost[number], leftmost[right] - distance)
    return [(left + right) / 2 for left, right in zip(leftmost, rightmost, strict=True)]


def _pulled(
    cells: Cells, block_of: dict[int, int], shift_of: dict[int, float], placed: Sequence[float]
) -> list[float]:
    """Where the joins to other blocks would be upright, by weighted mean; without any, where it is."""
    totals, weights = [0.0] * len(placed), [0.0] * len(placed)
    for join in cells.joins.values():
        upper, lower = block_of[join.upper], block_of[join.lower]
        if upper == lower:
            continue
        slant = shift_of[join.upper] + join.upper_offset - shift_of[join.lower] - join.lower_offset
        totals[upper] += join.weight * (placed[lower] - slant)
        totals[lower] += join.weight * (placed[upper] + slant)
        weights[upper] += join.weight
        weights[lower] += join.weight
    return [
        total / weight if weight else place
        for total, weight, place in zip(totals, weights, placed, strict=True)
    ]


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]
