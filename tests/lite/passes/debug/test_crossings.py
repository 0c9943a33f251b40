"""Orders of layers with few crossings."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from lite.passes.debug.crossings import count_crossings, order_layers


def neighbours(count: int, ties: set[tuple[int, int]]) -> tuple[list[list[int]], list[list[int]]]:
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for upper, lower in sorted(ties):
        above[lower].append(upper)
        below[upper].append(lower)
    return above, below


def counted(layers: list[list[int]], ties: set[tuple[int, int]]) -> int:
    """Crossings, pair by pair."""
    place = {cell: number for layer in layers for number, cell in enumerate(layer)}
    layer_of = {cell: number for number, layer in enumerate(layers) for cell in layer}
    return sum(
        (place[a] - place[c]) * (place[b] - place[d]) < 0
        for (a, b), (c, d) in itertools.combinations(sorted(ties), 2)
        if layer_of[a] == layer_of[c]
    )


@st.composite
def layered(draw: st.DrawFn) -> tuple[list[list[int]], set[tuple[int, int]]]:
    cells = itertools.count()
    layers = [[next(cells) for _ in range(draw(st.integers(1, 5)))] for _ in range(draw(st.integers(1, 4)))]
    ties: set[tuple[int, int]] = set()
    for upper, lower in itertools.pairwise(layers):
        ties |= draw(st.sets(st.tuples(st.sampled_from(upper), st.sampled_from(lower)), max_size=8))
    return layers, ties


@given(layered())
def test_cells_keep_their_layers_and_crossings_are_counted(
    case: tuple[list[list[int]], set[tuple[int, int]]],
) -> None:
    layers, ties = case
    above, below = neighbours(sum(map(len, layers)), ties)
    ordered = order_layers(layers, above, below)
    assert [sorted(layer) for layer in ordered] == layers
    for each in (layers, ordered):
        assert count_crossings(each, below) == counted(each, ties)


def test_a_twisted_ladder_is_untwisted() -> None:
    ties = {(0, 5), (1, 4), (2, 3), (3, 6), (4, 7), (5, 8)}
    layers = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert counted(layers, ties) == 3
    assert counted(order_layers(layers, *neighbours(9, ties)), ties) == 0
