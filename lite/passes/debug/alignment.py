"""Where the cells of a layer stand from left to right."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from lite.passes.debug.cells import Cells, Join

_SWEEPS = 12

_INERTIA = 1e-4
"""Weight of where a cell stands: without a join it stays, but gives way to all that have one."""

FIXED = 1e6
"""Weight of a cell that does not move."""

Layers = Sequence[Sequence[int]]


def first_places(cells: Cells, layers: Layers, gap: float) -> list[float]:
    """The cells of each layer side by side around 0."""
    places = [0.0] * len(cells.widths)
    for layer in layers:
        left = -sum(cells.widths[cell] + gap for cell in layer) / 2
        for cell in layer:
            places[cell] = left + cells.widths[cell] / 2
            left += cells.widths[cell] + gap
    return places


def align(
    cells: Cells, layers: Layers, places: list[float], gap: float, fixed: frozenset[int] = frozenset()
) -> None:
    """Move the centres of cells so that joins become upright; the heavier a join, the more.

    Cells stay in order and `gap` apart or more.  Sweeps down and up set each layer to the least
    weighted squares of its joins' slants, the last one with regard to both sides.
    """
    up: list[list[Join]] = [[] for _ in places]
    down: list[list[Join]] = [[] for _ in places]
    for join in cells.joins.values():
        up[join.lower].append(join)
        down[join.upper].append(join)
    inertia = [FIXED if cell in fixed else _INERTIA for cell in range(len(places))]
    none: list[list[Join]] = [[] for _ in places]
    for _ in range(_SWEEPS):
        _sweep(cells, layers, places, gap, inertia, up, none)
        _sweep(cells, layers[::-1], places, gap, inertia, none, down)
    _sweep(cells, layers, places, gap, inertia, up, down)


def _sweep(
    cells: Cells,
    layers: Layers,
    places: list[float],
    gap: float,
    inertia: Sequence[float],
    up: Sequence[Sequence[Join]],
    down: Sequence[Sequence[Join]],
) -> None:
    for layer in layers:
        wishes, weights = [], []
        for cell in layer:
            total, weight = places[cell] * inertia[cell], inertia[cell]
            for join in up[cell]:
                total += join.weight * (places[join.upper] + join.upper_offset - join.lower_offset)
                weight += join.weight
            for join in down[cell]:
                total += join.weight * (places[join.lower] + join.lower_offset - join.upper_offset)
                weight += join.weight
            wishes.append(total / weight)
            weights.append(weight)
        settled = settle(wishes, weights, [cells.widths[cell] for cell in layer], gap)
        for cell, place in zip(layer, settled, strict=True):
            places[cell] = place


def settle(
    wishes: Sequence[float], weights: Sequence[float], widths: Sequence[float], gap: float
) -> list[float]:
    """Centres nearest to the wishes (weighted least squares) with room for the widths and gaps between.

    Without the distances that must be kept the centres have to rise: an isotonic regression, found by
    pooling adjacent violators.
    """
    distances = [0.0] if widths else []
    for left, right in itertools.pairwise(widths):
        distances.append(distances[-1] + (left + right) / 2 + gap)
    pools: list[tuple[float, float, int]] = []
    for wish, weight, distance in zip(wishes, weights, distances, strict=True):
        mean, total, count = wish - distance, weight, 1
        while pools and pools[-1][0] >= mean:
            other, other_weight, other_count = pools.pop()
            mean = (mean * total + other * other_weight) / (total + other_weight)
            total, count = total + other_weight, count + other_count
        pools.append((mean, total, count))
    pooled = [mean for mean, _, count in pools for _ in range(count)]
    return [place + distance for place, distance in zip(pooled, distances, strict=True)]
