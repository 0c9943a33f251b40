"""The order of cells on each layer: few crossings between neighbouring layers."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

Neighbours = Sequence[Sequence[int]]
"""For each cell, the cells it is tied to on the layer above, or on the one below."""

_MOST_SWEEPS = 16
_PATIENCE = 4
"""Sweeps without a better order after which the search ends."""


def order_layers(layers: list[list[int]], above: Neighbours, below: Neighbours) -> list[list[int]]:
    """The layers' cells reordered: barycentre sweeps down and up, of which the best result counts."""
    layers = _first_order(layers, above, below)
    best, fewest, tries = layers, count_crossings(layers, below), 0
    for sweep in range(_MOST_SWEEPS):
        if not fewest or tries == _PATIENCE:
            break
        layers = _sweep(layers, above) if sweep % 2 == 0 else _sweep(layers[::-1], below)[::-1]
        crossings = count_crossings(layers, below)
        tries = 0 if crossings < fewest else tries + 1
        if crossings < fewest:
            best, fewest = layers, crossings
    return best


def count_crossings(layers: Sequence[Sequence[int]], below: Neighbours) -> int:
    """How many pairs of ties between neighbouring layers cross, counted with a Fenwick tree."""
    total = 0
    for upper, lower in itertools.pairwise(layers):
        place = {cell: number for number, cell in enumerate(lower)}
        tree = [0] * (len(lower) + 1)
        seen = 0
        for cell in upper:
            ends = sorted(place[other] for other in below[cell])
            for end in ends:
                total += seen - _sum_up_to(tree, end + 1)
            for end in ends:
                _add(tree, end + 1)
            seen += len(ends)
    return total


def _first_order(layers: Sequence[Sequence[int]], above: Neighbours, below: Neighbours) -> list[list[int]]:
    """Depth first along the ties, so that what hangs together stands together."""
    layer_of = {cell: number for number, layer in enumerate(layers) for cell in layer}
    found: list[list[int]] = [[] for _ in layers]
    seen: set[int] = set()
    for start in (cell for layer in layers for cell in layer):
        stack = [start]
        while stack:
            cell = stack.pop()
            if cell in seen:
                continue
            seen.add(cell)
            found[layer_of[cell]].append(cell)
            stack += reversed([*above[cell], *below[cell]])
    return found


def _sweep(layers: Sequence[Sequence[int]], previous: Neighbours) -> list[list[int]]:
    place: dict[int, float] = {}
    swept = []
    for layer in layers:
        centres = {
            cell: _mean(place, previous[cell], (number + 0.5) / len(layer))
            for number, cell in enumerate(layer)
        }
        swept.append(sorted(layer, key=centres.__getitem__))
        place = {cell: (number + 0.5) / len(layer) for number, cell in enumerate(swept[-1])}
    return swept


def _mean(place: Mapping[int, float], cells: Sequence[int], otherwise: float) -> float:
    return sum(place[cell] for cell in cells) / len(cells) if cells and place else otherwise


def _add(tree: list[int], index: int) -> None:
    while index < len(tree):
        tree[index] += 1
        index += index & -index


def _sum_up_to(tree: Sequence[int], index: int) -> int:
    total = 0
    while index:
        total += tree[index]
        index -= index & -index
    return total
