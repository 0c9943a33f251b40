"""Where the boxes, frames and arrows of a picture go.

Each frame is drawn as a sheet of its own and is then one vertex of the sheet around it: so a frame
holds its own boxes and no others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lite.passes.debug.cells import Edge, Vertex
from lite.passes.debug.picture import Arrow, ArrowKind, BoxKind, Frame, Picture
from lite.passes.debug.sheet import Bend, Sheet, draw_sheet
from lite.passes.debug.style import FONT_SIZE, LABEL_SIZE
from lite.passes.debug.text_size import text_size

FRAME_HEADER = 24.0
"""Height of a frame's part with its label."""

_PADDING = 12.0
_OP_MARGINS = (10.0, 6.0)
_ELLIPSE = (1.16, 1.9)
"""Width and height of an ellipse per those of the line of text in it."""

Bundle = tuple[str, ArrowKind]


@dataclass(frozen=True)
class Rect:
    """A rectangle, or the one around an ellipse, by its upper left corner; in pixels."""

    x: float
    y: float
    width: float
    height: float


@dataclass
class Layout:
    """Rectangles by id; each arrow's bends, and the left end and middle of its label if it has one."""

    width: float
    height: float
    boxes: dict[str, Rect] = field(default_factory=dict)
    frames: dict[str, Rect] = field(default_factory=dict)
    paths: list[list[Bend]] = field(default_factory=list)
    labels: list[tuple[float, float] | None] = field(default_factory=list)


def arrange(picture: Picture) -> Layout:
    """The layout of a picture; time grows nearly in proportion to boxes and the layers arrows pass."""
    return _Arranging(picture).layout()


def box_size(kind: BoxKind, lines: tuple[str, ...]) -> tuple[float, float]:
    """Width and height of a box with these lines of text."""
    width, height = text_size(lines, FONT_SIZE)
    if kind.is_ops:
        return max(width, 40.0) + 2 * _OP_MARGINS[0], height + 2 * _OP_MARGINS[1]
    return max(width, 24.0) * _ELLIPSE[0] + 8, height * _ELLIPSE[1]


class _Plan:
    """What one frame, or the page, is drawn from: vertices by name, and the edges between them."""

    def __init__(self) -> None:
        self.vertices: list[Vertex] = []
        self.numbers: dict[str, int] = {}
        self.bundles: dict[int, Bundle] = {}
        """What enters or leaves at a port."""
        self.edges: dict[tuple[Edge, int | None], int] = {}

    def add(self, name: str, vertex: Vertex) -> int:
        self.numbers[name] = len(self.vertices)
        self.vertices.append(vertex)
        return self.numbers[name]

    def port(self, end: str, bundle: Bundle) -> int:
        name = f"{end} {bundle}"
        if name not in self.numbers:
            self.bundles[self.add(name, Vertex(4.0, 0.0, is_root=end == "first", end=end))] = bundle
        return self.numbers[name]

    def edge(self, edge: Edge, arrow: int) -> int:
        # Arrows without a label share what they have in common.
        key = (edge, None if edge.label is None else arrow)
        return self.edges.setdefault(key, len(self.edges))


class _Arranging:
    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.plans: dict[str | None, _Plan] = {None: _Plan()}
        for frame in picture.frames.values():
            self.plans[frame.id] = _Plan()
            self.plans[frame.parent].add(frame.id, Vertex(0.0, 0.0, is_frame=True))
        for box in picture.boxes.values():
            size = box_size(box.kind, box.lines)
            is_root = box.kind is BoxKind.ARGUMENT
            self.plans[box.frame].add(box.id, Vertex(*size, spread=box.kind.is_ops, is_root=is_root))
        self.sheets: dict[str | None, Sheet] = {}
        self.routes = [self._route(number, arrow) for number, arrow in enumerate(picture.arrows)]

    def layout(self) -> Layout:
        for frame in [*reversed(self.picture.frames.values()), None]:
            self._draw(frame)
        page = self.sheets[None]
        layout = Layout(page.width, page.height)
        origins: dict[str | None, tuple[float, float]] = {None: (0.0, 0.0)}
        for frame in self.picture.frames.values():
            rect = self._rect(frame.id, frame.parent, origins)
            layout.frames[frame.id] = rect
            inner = self.sheets[frame.id]
            origins[frame.id] = rect.x + (rect.width - inner.width) / 2, rect.y + FRAME_HEADER
        for box in self.picture.boxes.values():
            layout.boxes[box.id] = self._rect(box.id, box.frame, origins)
        for route in self.routes:
            path: list[Bend] = []
            label = None
            for frame_id, edge in route:
                (x, y), sheet = origins[frame_id], self.sheets[frame_id]
                path += [Bend(bend.x + x, bend.start + y, bend.end + y) for bend in sheet.paths[edge]]
                if edge in sheet.labels:
                    label = sheet.labels[edge][0] + x, sheet.labels[edge][1] + y
            layout.paths.append(path)
            layout.labels.append(label)
        return layout

    def _route(self, number: int, arrow: Arrow) -> list[tuple[str | None, int]]:
        """The frames an arrow runs through and the number of its edge in each; makes edges and ports."""
        bundle = (arrow.source, arrow.kind)
        label = text_size(arrow.lines, LABEL_SIZE) if arrow.lines else None
        left, entered = self._frames(arrow.source), self._frames(arrow.target)
        shared: str | None = None
        while left and entered and left[0] == entered[0]:
            shared = left.pop(0)
            entered.pop(0)
        length = 1 if label is None else 2
        route: list[tuple[str | None, int]] = []
        source = arrow.source
        for frame in reversed(left):
            plan = self.plans[frame]
            edge = Edge(plan.numbers[source], plan.port("last", bundle), bundle)
            route.append((frame, plan.edge(edge, number)))
            source = frame
        # The label stands where the arrow ends.
        targets = [*entered, arrow.target]
        around: list[str | None] = [shared, *entered]
        for frame_id, target in zip(around, targets, strict=True):
            plan = self.plans[frame_id]
            start = plan.numbers[source] if frame_id == shared else plan.port("first", bundle)
            text = label if target == arrow.target else None
            edge = Edge(start, plan.numbers[target], bundle, text, length)
            route.append((frame_id, plan.edge(edge, number)))
        return route

    def _frames(self, box: str) -> list[str]:
        """The frames around a box, from the outermost one inwards."""
        found: list[str] = []
        frame = self.picture.boxes[box].frame
        while frame is not None:
            found.append(frame)
            frame = self.picture.frames[frame].parent
        return found[::-1]

    def _draw(self, frame: Frame | None) -> None:
        plan = self.plans[None if frame is None else frame.id]
        sheet = draw_sheet(plan.vertices, [edge for edge, _ in plan.edges])
        self.sheets[None if frame is None else frame.id] = sheet
        if frame is None:
            return
        outer = self.plans[frame.parent]
        vertex = outer.vertices[outer.numbers[frame.id]]
        label_width, _ = text_size([frame.label], FONT_SIZE)
        vertex.width = max(sheet.width, label_width) + 2 * _PADDING
        vertex.height = FRAME_HEADER + sheet.height + _PADDING
        for number, bundle in plan.bundles.items():
            vertex.ports[bundle] = sheet.places[number][0] - sheet.width / 2

    def _rect(self, name: str, frame: str | None, origins: Mapping[str | None, tuple[float, float]]) -> Rect:
        plan, (left, top) = self.plans[frame], origins[frame]
        number = plan.numbers[name]
        x, y = self.sheets[frame].places[number]
        width, height = plan.vertices[number].width, plan.vertices[number].height
        return Rect(left + x - width / 2, top + y - height / 2, width, height)
