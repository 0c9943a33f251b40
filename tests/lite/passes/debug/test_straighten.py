"""Lines that stand upright together."""

from __future__ import annotations

import itertools

from hypothesis import given, settings

from lite.passes.debug.alignment import first_places
from lite.passes.debug.cells import Cells, Edge, Vertex
from lite.passes.debug.picture import Picture
from lite.passes.debug.straighten import straighten
from lite.passes.debug.upright_lines import cells_of, find_lines
from tests.lite.passes.debug.random_pictures import pictures

GAP = 7.0


@settings(max_examples=80, deadline=None)
@given(pictures())
def test_every_line_is_upright_and_cells_stay_apart(picture: Picture) -> None:
    numbers = {name: number for number, name in enumerate(picture.boxes)}
    vertices = [Vertex(10.0 + 7 * number, 10, is_root=True) for number in range(len(numbers))]
    edges = [Edge(numbers[arrow.source], numbers[arrow.target], arrow.source) for arrow in picture.arrows]
    cells = Cells(vertices, edges)
    layers = cells.layers
    lines = find_lines(cells, layers)
    for number, line in enumerate(lines):
        line[0].upper_offset = float(number)
    places = first_places(cells, layers, GAP)
    straighten(cells, lines, layers, places, GAP)
    for line in lines:
        for join in line:
            slant = places[join.upper] + join.upper_offset - places[join.lower] - join.lower_offset
            assert abs(slant) < 1e-6
    for layer in layers:
        for left, right in itertools.pairwise(layer):
            room = (cells.widths[left] + cells.widths[right]) / 2 + GAP
            assert places[right] - places[left] >= room - 1e-6


def test_a_cell_is_in_one_line_and_short_edges_make_them() -> None:
    # 0 → 1 → 2 and 0 → 2: the detour with the vertex is the line, and has a bend beside it.
    cells = Cells(
        [Vertex(10, 10, is_root=True)] + [Vertex(10, 10)] * 3,
        [
            Edge(0, 2, "far"),
            Edge(0, 1, "near"),
            Edge(1, 2, "on"),
            Edge(2, 3, "out"),
        ],
    )
    lines = [cells_of(line) for line in find_lines(cells, cells.layers)]
    assert [0, 1, 2] in lines
    members = [cell for line in lines for cell in line]
    assert len(members) == len(set(members))
