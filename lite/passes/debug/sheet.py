"""A layered drawing of one graph without frames (after K. Sugiyama et al., 1981).

Layers from top to bottom, few crossings, upright edges.  A frame is one vertex here, with ports where
edges enter and leave it.  All lengths are pixels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from lite.passes.debug.alignment import Tie, align
from lite.passes.debug.cells import LABEL_INDENT, Cells, Edge, Join, Vertex
from lite.passes.debug.crossings import order_layers

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
    """Its size, centres of vertices, bends of edges, centres of labels by the number of their edge."""

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
    _set_offsets(cells, layers)
    ties = [Tie(j.upper, j.lower, j.upper_offset, j.lower_offset, j.weight) for j in cells.joins.values()]
    x = align(layers, cells.widths, GAP, ties)
    bands = _bands(cells, layers, x)
    centres = [(x[cell], sum(bands[layer]) / 2) for cell, layer in enumerate(cells.layer_of)]
    paths = [_path(cells, chain, edge, x, bands) for chain, edge in zip(cells.chains, edges, strict=True)]
    for number in cells.backward:
        paths[number] = [Bend(bend.x, bend.end, bend.start) for bend in reversed(paths[number])]
    return Sheet(
        max((x[cell] + width / 2 for cell, width in enumerate(cells.widths)), default=0.0),
        bands[-1][1] if bands else 0.0,
        centres[: len(vertices)],
        paths,
        {edge: (centres[cell][0] + LABEL_INDENT, centres[cell][1]) for edge, cell in cells.labels.items()},
    )


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
    for cell, joins in into.items():
        joins.sort(key=lambda join: place[join.upper])
        for join, offset in zip(joins, _offsets(cells, cell, joins, cell in labels), strict=True):
            join.lower_offset = offset
    for cell, joins in out_of.items():
        joins.sort(key=lambda join: place[join.lower])
        for join, offset in zip(joins, _offsets(cells, cell, joins, cell in labels), strict=True):
            join.upper_offset = offset


def _offsets(cells: Cells, cell: int, joins: Sequence[Join], is_label: bool) -> list[float]:
    if is_label:
        return [LABEL_INDENT - cells.widths[cell] / 2] * len(joins)
    if cell >= len(cells.vertices):
        return [0.0] * len(joins)
    vertex = cells.vertices[cell]
    step = min(_PORT_GAP, vertex.width / (len(joins) + 1)) if vertex.spread else 0.0
    middle = (len(joins) - 1) / 2
    return [vertex.ports.get(join.bundle, (n - middle) * step) for n, join in enumerate(joins)]


def _bands(cells: Cells, layers: Sequence[Sequence[int]], x: Sequence[float]) -> list[tuple[float, float]]:
    """Top and bottom of each layer; the flatter the joins between two, the more room there is."""
    widest = [0.0] * len(layers)
    for join in cells.joins.values():
        slant = abs(x[join.upper] + join.upper_offset - x[join.lower] - join.lower_offset)
        layer = cells.layer_of[join.lower]
        widest[layer] = max(widest[layer], slant)
    bands: list[tuple[float, float]] = []
    for layer, width in zip(layers, widest, strict=True):
        gap = min(max(_LEAST_HEIGHT, width / _SLANT), _MOST_HEIGHT)
        top = bands[-1][1] + gap if bands else 0.0
        bands.append((top, top + max(cells.heights[cell] for cell in layer)))
    return bands


def _path(
    cells: Cells, chain: Sequence[int], edge: Edge, x: Sequence[float], bands: Sequence[tuple[float, float]]
) -> list[Bend]:
    joins = [cells.joins[upper, lower, edge.bundle] for upper, lower in zip(chain, chain[1:], strict=False)]
    first, last = joins[0], joins[-1]
    top, bottom = bands[cells.layer_of[first.upper]]
    path = [
        Bend(x[first.upper] + first.upper_offset, (top + bottom + cells.heights[first.upper]) / 2, bottom)
    ]
    for join in joins[:-1]:
        path.append(Bend(x[join.lower] + join.lower_offset, *bands[cells.layer_of[join.lower]]))
    top, bottom = bands[cells.layer_of[last.lower]]
    path.append(
        Bend(x[last.lower] + last.lower_offset, top, (top + bottom - cells.heights[last.lower]) / 2)
    )
    return path
