"""A layered drawing of one graph without frames (after K. Sugiyama et al., 1981).

Layers from top to bottom, few crossings, upright edges.  A frame is one vertex here, with ports where
edges enter and leave it.  All lengths are pixels.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from lite.passes.debug.alignment import align, first_places
from lite.passes.debug.cells import LABEL_INDENT, Cells, Edge, Join, Vertex
from lite.passes.debug.crossings import order_layers
from lite.passes.debug.straighten import straighten
from lite.passes.debug.upright_lines import cells_of, find_lines, stiffen

GAP = 16.0
"""Between neighbours on a layer."""

_LEAST_HEIGHT, _MOST_HEIGHT = 12.0, 70.0
"""Between layers."""

_SLANT = 7.0
"""Width of an edge for each pixel of height that it gets, within the limits above."""

_PORT_GAP = 26.0
"""The most between edges that end side by side."""


@dataclass(frozen=True)
class Bend:
    """Where an edge passes a layer: upright at `x`, from `start` to `end` in its direction."""

    x: float
    start: float
    end: float


@dataclass
class Sheet:
    """Its size, centres of vertices, bends of edges.

    Of labels, by the number of their edge, the left end and the middle from top to bottom.
    """

    width: float
    height: float
    places: list[tuple[float, float]]
    paths: list[list[Bend]]
    labels: dict[int, tuple[float, float]]


def draw_sheet(vertices: Sequence[Vertex], edges: Sequence[Edge]) -> Sheet:
    """Where everything goes; vertices do not overlap, and edges point down.

    Only an edge that closes a cycle points up.
    """
    cells = Cells(vertices, edges)
    layers = _ordered(cells)
    x = _across(cells, layers)
    bands = _bands(cells, layers, x)
    y = _middles(cells, layers, bands)
    paths = [_path(cells, chain, edge, x, y, bands) for chain, edge in zip(cells.chains, edges, strict=True)]
    for number in cells.backward:
        paths[number] = [Bend(bend.x, bend.end, bend.start) for bend in reversed(paths[number])]
    return Sheet(
        max((x[cell] + width / 2 for cell, width in enumerate(cells.widths)), default=0.0),
        bands[-1][1] if bands else 0.0,
        list(zip(x, y, strict=True))[: len(vertices)],
        paths,
        {
            edge: (x[cell] - cells.widths[cell] / 2 + 2 * LABEL_INDENT, y[cell])
            for edge, cell in cells.labels.items()
        },
    )


def _across(cells: Cells, layers: Sequence[Sequence[int]]) -> list[float]:
    """The cells' centres from left to right; the first cell begins at 0."""
    lines = find_lines(cells, layers)
    stiffen(lines)
    _set_offsets(cells, layers)
    places = first_places(cells, layers, GAP)
    align(cells, layers, places, GAP)
    straighten(cells, lines, layers, places, GAP)
    # What hangs loosely follows the lines.
    align(cells, layers, places, GAP, frozenset(cell for line in lines for cell in cells_of(line)))
    left = min((place - width / 2 for place, width in zip(places, cells.widths, strict=True)), default=0.0)
    return [place - left for place in places]


def _ordered(cells: Cells) -> list[list[int]]:
    above: list[list[int]] = [[] for _ in cells.widths]
    below: list[list[int]] = [[] for _ in cells.widths]
    for join in cells.joins.values():
        above[join.lower].append(join.upper)
        below[join.upper].append(join.lower)
    return order_layers(cells.layers, above, below)


def _set_offsets(cells: Cells, layers: Sequence[Sequence[int]]) -> None:
    """Where the joins meet their cells: at a port, side by side on an op, left of a label."""
    place = {cell: number for layer in layers for number, cell in enumerate(layer)}
    labels = cells.label_cells
    into: dict[int, list[Join]] = defaultdict(list)
    out_of: dict[int, list[Join]] = defaultdict(list)
    for join in cells.joins.values():
        into[join.lower].append(join)
        out_of[join.upper].append(join)
    for cell, entering in into.items():
        entering.sort(key=lambda join: place[join.upper])
        for join, offset in zip(entering, _offsets(cells, cell, entering, cell in labels), strict=True):
            join.lower_offset = offset
    for cell, leaving in out_of.items():
        leaving.sort(key=lambda join: place[join.lower])
        for join, offset in zip(leaving, _offsets(cells, cell, leaving, cell in labels), strict=True):
            join.upper_offset = offset


def _offsets(cells: Cells, cell: int, joins: Sequence[Join], is_label: bool) -> list[float]:
    if is_label:
        return [LABEL_INDENT - cells.widths[cell] / 2] * len(joins)
    if cell >= len(cells.vertices):
        return [0.0] * len(joins)
    vertex = cells.vertices[cell]
    # The heaviest edge, if there is one, ends in the middle: so chains of ops stand upright.
    heaviest = max(join.weight for join in joins)
    main = [number for number, join in enumerate(joins) if join.weight == heaviest]
    middle = main[0] if len(main) == 1 else (len(joins) - 1) / 2
    outermost = max(middle, len(joins) - 1 - middle)
    step = min(_PORT_GAP, vertex.width / 2 / (outermost + 0.5)) if vertex.spread else 0.0
    return [vertex.ports.get(join.bundle, (n - middle) * step) for n, join in enumerate(joins)]


def _bands(cells: Cells, layers: Sequence[Sequence[int]], x: Sequence[float]) -> list[tuple[float, float]]:
    """Top and bottom of each layer; the flatter the joins between two, the more room there is."""
    widest = [0.0] * len(layers)
    for join in cells.joins.values():
        slant = abs(x[join.upper] + join.upper_offset - x[join.lower] - join.lower_offset)
        number = cells.layer_of[join.lower]
        widest[number] = max(widest[number], slant)
    bands: list[tuple[float, float]] = []
    for layer, width in zip(layers, widest, strict=True):
        gap = min(max(_LEAST_HEIGHT, width / _SLANT), _MOST_HEIGHT)
        top = bands[-1][1] + gap if bands else 0.0
        bands.append((top, top + max(cells.heights[cell] for cell in layer)))
    return bands


def _middles(
    cells: Cells, layers: Sequence[Sequence[int]], bands: Sequence[tuple[float, float]]
) -> list[float]:
    """The cells' centres from top to bottom: in one row at the layer's top, frames in the whole layer."""
    middles = [0.0] * len(cells.widths)
    for layer, (top, bottom) in zip(layers, bands, strict=True):
        row = max((cells.heights[cell] for cell in layer if not cells.is_frame(cell)), default=0.0)
        for cell in layer:
            middles[cell] = (top + bottom) / 2 if cells.is_frame(cell) else top + row / 2
    return middles


def _path(
    cells: Cells,
    chain: Sequence[int],
    edge: Edge,
    x: Sequence[float],
    y: Sequence[float],
    bands: Sequence[tuple[float, float]],
) -> list[Bend]:
    joins = [cells.joins[upper, lower, edge.bundle] for upper, lower in itertools.pairwise(chain)]
    source, target = chain[0], chain[-1]
    start = y[source] + cells.heights[source] / 2
    path = [Bend(x[source] + joins[0].upper_offset, start, bands[cells.layer_of[source]][1])]
    for join in joins[:-1]:
        path.append(Bend(x[join.lower] + join.lower_offset, *bands[cells.layer_of[join.lower]]))
    end = y[target] - cells.heights[target] / 2
    path.append(Bend(x[target] + joins[-1].lower_offset, bands[cells.layer_of[target]][0], end))
    return path
