"""What stands on the layers of a drawing: vertices, labels, and bends where an edge passes a layer."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from lite.passes.debug.layering import Link, assign_layers, break_cycles

LABEL_INDENT = 5.0
"""From an edge to its label."""

BEND_WIDTH = 4.0

MAIN, BEND, SHARED, SIDE = 1.0, 2.0, 0.02, 0.01
"""How upright joins have to be: of main edges, between their bends, from constants with several edges,
and of other edges with a loose end.
"""


@dataclass
class Vertex:
    """Something that takes room, in pixels.

    `ports` are the offsets, from its centre, of edges by the key of their bundle; with `spread`, other
    edges end side by side, else in the middle.  `is_root`: the drawing starts with it.  `is_frame`: it
    is much higher than others.  `end` is "first" or "last" for the ports of the frame that is drawn,
    which have a layer of their own.
    """

    width: float
    height: float
    ports: dict[Hashable, float] = field(default_factory=dict)
    spread: bool = False
    is_root: bool = False
    is_frame: bool = False
    end: str = ""


@dataclass(frozen=True)
class Edge:
    """An edge between vertices by number; edges of one `bundle` leave their source as one line.

    It is at least `length` layers long; with a label, which has a layer of its own, that is 2.
    """

    source: int
    target: int
    bundle: Hashable
    label: tuple[float, float] | None = None
    length: int = 1


@dataclass
class Join:
    """A piece of an edge between cells of neighbouring layers; offsets are from their centres.

    `span` is the number of layers that the edge runs over.
    """

    upper: int
    lower: int
    bundle: Hashable
    weight: float
    span: int
    upper_offset: float = 0.0
    lower_offset: float = 0.0


class Cells:
    """Cells by number: the vertices first, then labels and bends.

    `chains` are the cells that each edge runs through from top to bottom, `labels` the cells of
    labels by the number of their edge, `backward` the edges that run upwards.
    """

    def __init__(self, vertices: Sequence[Vertex], edges: Sequence[Edge]) -> None:
        self.vertices = vertices
        self.widths = [vertex.width for vertex in vertices]
        self.heights = [vertex.height for vertex in vertices]
        self.joins: dict[tuple[int, int, Hashable], Join] = {}
        self.labels: dict[int, int] = {}
        self._bends: dict[tuple[Hashable, ...], int] = {}
        links = [Link(edge.source, edge.target, edge.length) for edge in edges]
        order = break_cycles(len(vertices), links)
        self.backward = {number for number, link in enumerate(links) if link.back}
        roots = [number for number, vertex in enumerate(vertices) if vertex.is_root]
        self.layer_of = _compacted(assign_layers(order, links, roots), vertices, links)
        leaving, entering = Counter(e.source for e in edges), Counter(e.target for e in edges)
        self.chains = []
        for number, (edge, link) in enumerate(zip(edges, links, strict=True)):
            weight = MAIN
            if not entering[edge.source] and not vertices[edge.source].is_root:
                weight = SIDE if leaving[edge.source] == 1 else SHARED
            elif not leaving[edge.target]:
                weight = SIDE
            self.chains.append(self._chain(number, edge, link, weight))

    @property
    def label_cells(self) -> frozenset[int]:
        """The cells that are labels."""
        return frozenset(self.labels.values())

    @property
    def layers(self) -> list[list[int]]:
        """The cells of each layer, by number."""
        layers: list[list[int]] = [[] for _ in range(max(self.layer_of, default=-1) + 1)]
        for cell, layer in enumerate(self.layer_of):
            layers[layer].append(cell)
        return layers

    def is_frame(self, cell: int) -> bool:
        """Whether a cell is a vertex that is a frame."""
        return cell < len(self.vertices) and self.vertices[cell].is_frame

    def _chain(self, number: int, edge: Edge, link: Link, weight: float) -> list[int]:
        end = self.layer_of[link.target]
        cells = [link.source]
        for layer in range(self.layer_of[link.source] + 1, end):
            if layer == end - 1 and edge.label is not None:
                self.labels[number] = self._add(edge.label[0] + 2 * LABEL_INDENT, edge.label[1], layer)
                cells.append(self.labels[number])
                continue
            key = (link.source, link.back, edge.bundle, layer)
            if key not in self._bends:
                self._bends[key] = self._add(BEND_WIDTH, 0.0, layer)
            cells.append(self._bends[key])
        cells.append(link.target)
        for upper, lower in itertools.pairwise(cells):
            upright = BEND if weight == MAIN and min(upper, lower) >= len(self.vertices) else weight
            join = Join(upper, lower, edge.bundle, upright, len(cells) - 1)
            self.joins.setdefault((upper, lower, edge.bundle), join)
        return cells

    def _add(self, width: float, height: float, layer: int) -> int:
        self.widths.append(width)
        self.heights.append(height)
        self.layer_of.append(layer)
        return len(self.widths) - 1


def _compacted(layers: Sequence[int], vertices: Sequence[Vertex], links: Sequence[Link]) -> list[int]:
    """Layers from 0 without empty ones, ports at the ends; a label's layer is the one before its target's."""
    inner = [layer for layer, vertex in zip(layers, vertices, strict=True) if not vertex.end]
    room = max((link.length for link in links), default=1)
    ends = {"first": min(inner, default=0) - room, "last": max(inner, default=0) + room}
    placed = [ends.get(vertex.end, layer) for layer, vertex in zip(layers, vertices, strict=True)]
    labelled = {placed[link.target] - 1 for link in links if link.length > 1}
    number = {layer: place for place, layer in enumerate(sorted({*placed, *labelled}))}
    return [number[layer] for layer in placed]
