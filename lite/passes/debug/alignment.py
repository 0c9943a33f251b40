"""Where the cells of a layer stand from left to right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_SWEEPS = 10


@dataclass(frozen=True)
class Tie:
    """Two cells on neighbouring layers; the offsets are those of its ends from the cells' centres.

    The heavier a tie, the more upright it becomes.
    """

    upper: int
    lower: int
    upper_offset: float
    lower_offset: float
    weight: float


def align(layers: Sequence[Sequence[int]], widths: Sequence[float], gap: float, ties: Sequence[Tie]) -> list[float]:
    """The centre of each cell: in the layers' order, `gap` apart or more, ties as upright as that allows.

    Sweeps down and up set each layer to the least weighted squares of its ties' slants.
    """
    up: list[list[Tie]] = [[] for _ in widths]
    down: list[list[Tie]] = [[] for _ in widths]
    for tie in ties:
        up[tie.lower].append(tie)
        down[tie.upper].append(tie)
    places = [0.0] * len(widths)
    for layer in layers:
        right = 0.0
        for cell in layer:
            places[cell] = right + widths[cell] / 2
            right += widths[cell] + gap
        for cell in layer:
            places[cell] -= right / 2
    for sweep in range(_SWEEPS):
        last = sweep == _SWEEPS - 1
        _settle_all(layers, widths, gap, places, up, down if last else [])
        if not last:
            _settle_all(layers[::-1], widths, gap, places, [], down)
    left = min((place - widths[cell] / 2 for cell, place in enumerate(places)), default=0.0)
    return [place - left for place in places]


def _settle_all(
    layers: Sequence[Sequence[int]],
    widths: Sequence[float],
    gap: float,
    places: list[float],
    up: Sequence[Sequence[Tie]],
    down: Sequence[Sequence[Tie]],
) -> None:
    for layer in layers:
        wishes, weights = [], []
        for cell in layer:
            # Without a tie a cell stays, but gives way to all that have one.
            total, weight = places[cell] * 0.01, 0.01
            for tie in up[cell] if up else ():
                total += tie.weight * (places[tie.upper] + tie.upper_offset - tie.lower_offset)
                weight += tie.weight
            for tie in down[cell] if down else ():
                total += tie.weight * (places[tie.lower] + tie.lower_offset - tie.upper_offset)
                weight += tie.weight
            wishes.append(total / weight)
            weights.append(weight)
        for cell, place in zip(layer, settle(wishes, weights, [widths[cell] for cell in layer], gap), strict=True):
            places[cell] = place


def settle(
    wishes: Sequence[float], weights: Sequence[float], widths: Sequence[float], gap: float
) -> list[float]:
    """Centres nearest to the wishes (weighted least squares) with room for the widths and gaps between.

    Without the distances that must be kept the centres have to rise: an isotonic regression, found by
    pooling adjacent violators.
    """
    distances = [0.0]
    for left, right in zip(widths, widths[1:], strict=False):
        distances.append(distances[-1] + (left + right) / 2 + gap)
    pools: list[tuple[float, float, int]] = []
    for wish, weight, distance in zip(wishes, weights, distances, strict=False):
        mean, total, count = wish - distance, weight, 1
        while pools and pools[-1][0] >= mean:
            other, other_weight, other_count = pools.pop()
            mean = (mean * total + other * other_weight) / (total + other_weight)
            total, count = total + other_weight, count + other_count
        pools.append((mean, total, count))
    pooled = [mean for mean, _, count in pools for _ in range(count)]
    return [place + distance for place, distance in zip(pooled, distances, strict=False)]
