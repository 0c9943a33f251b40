"""The legend at the top of an SVG picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lite.passes.debug.layered_layout import FRAME_HEADER, Rect, box_size
from lite.passes.debug.legend import Legend
from lite.passes.debug.picture import Arrow, ArrowKind, Box, Frame
from lite.passes.debug.sheet import Bend
from lite.passes.debug.style import FONT_SIZE
from lite.passes.debug.svg_shapes import arrow_element, box_element, frame_element, frame_label, text_element
from lite.passes.debug.text_size import text_size

_ROW = 36.0
_GAP = 14.0
_SPACE = 6.0
"""Between a sample arrow and its text."""

_FRAME_MARGIN = 12.0

Sample = tuple[float, Callable[[float, float], list[str]]]
"""Its width, and its elements given its left end and the middle of its row."""


def legend_elements(legend: Legend, width: float) -> tuple[list[str], float, float]:
    """Elements in rows of at most `width` pixels, and the width and height that they take."""
    elements: list[str] = []
    x, y, widest = 0.0, 0.0, 0.0
    for room, drawn in _samples(legend):
        if x and x + room > width:
            x, y = 0.0, y + _ROW
        elements += drawn(x, y + _ROW / 2)
        widest = max(widest, x + room)
        x += room + _GAP
    return elements, widest, y + _ROW if elements else 0.0


def _samples(legend: Legend) -> Iterator[Sample]:
    for box in legend.boxes:
        yield _box_sample(box)
    for kind in legend.arrows:
        yield _arrow_sample(kind)
    for number, (label, color) in enumerate(legend.frames):
        yield _frame_sample(Frame(f"legend_frame{number}", label, color))


def _box_sample(box: Box) -> Sample:
    width, height = box_size(box.kind, box.lines)
    return width, lambda x, y: [box_element(box, Rect(x, y - height / 2, width, height))]


def _frame_sample(frame: Frame) -> Sample:
    width = text_size([frame.label], FONT_SIZE)[0] + 2 * _FRAME_MARGIN

    def drawn(x: float, y: float) -> list[str]:
        rect = Rect(x, y - FRAME_HEADER / 2, width, FRAME_HEADER)
        return [frame_element(frame, rect), frame_label(frame, rect)]

    return width, drawn


def _arrow_sample(kind: ArrowKind) -> Sample:
    text_width, _ = text_size([kind.value], FONT_SIZE)

    def drawn(x: float, y: float) -> list[str]:
        line = arrow_element(Arrow("", "", (), kind), [Bend(x + 4, y - 12, y + 12)], None)
        return [line, text_element([kind.value], x + 8 + _SPACE + text_width / 2, y, FONT_SIZE)]

    return 8 + _SPACE + text_width, drawn
