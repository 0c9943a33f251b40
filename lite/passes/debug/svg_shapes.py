"""The parts of a picture as SVG elements."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from lite.passes.debug.layered_layout import FRAME_HEADER, Rect
from lite.passes.debug.picture import Arrow, ArrowKind, Box, Frame
from lite.passes.debug.sheet import Bend
from lite.passes.debug.style import FILLS, FONT_SIZE, LABEL_SIZE, OUTLINE, STROKES
from lite.passes.debug.svg_path import HEAD, number_text, path_data
from lite.passes.debug.text_size import LINE_HEIGHT

_DOUBLE = 3.0
"""Between the two outlines of a result."""


def box_element(box: Box, rect: Rect) -> str:
    """A group with the tooltip, the shape (a result's has two outlines) and the text of a box."""
    shape = _rectangle if box.kind.is_ops else _ellipse
    outlines = [shape(rect, FILLS[box.kind])]
    if box.is_result:
        inner = Rect(rect.x + _DOUBLE, rect.y + _DOUBLE, rect.width - 2 * _DOUBLE, rect.height - 2 * _DOUBLE)
        outlines.append(shape(inner, "none"))
    label = text_element(box.lines, rect.x + rect.width / 2, rect.y + rect.height / 2, FONT_SIZE)
    kind = box.kind.name.lower()
    title = f"<title>{escape(box.title)}</title>"
    return f'<g id={quoteattr(box.id)} class="{kind}">{title}{"".join(outlines)}{label}</g>'


def frame_element(frame: Frame, rect: Rect) -> str:
    """The coloured rectangle of a frame."""
    shape = _rectangle(rect, frame.color, 'rx="6"')
    return f'<g id={quoteattr(frame.id)} class="frame"><title>{escape(frame.label)}</title>{shape}</g>'


def frame_label(frame: Frame, rect: Rect) -> str:
    """The label at a frame's upper left, legible where arrows enter the frame."""
    halo = f'stroke="{frame.color}" stroke-width="4" paint-order="stroke"'
    options = f'class="label" font-weight="bold" text-anchor="start" {halo}'
    return text_element([frame.label], rect.x + 8, rect.y + FRAME_HEADER / 2, FONT_SIZE, options)


def arrow_element(arrow: Arrow, path: Sequence[Bend], label: tuple[float, float] | None) -> str:
    """The path of an arrow, dashed unless it is data, and its text."""
    kind = arrow.kind.name.lower()
    dashes = "" if arrow.kind is ArrowKind.DATA else ' stroke-dasharray="5 3"'
    line = (
        f'<path d="{path_data(path)}" fill="none" stroke="{STROKES[arrow.kind]}"{dashes} '
        f'marker-end="url(#{kind})"/>'
    )
    text = "" if label is None else text_element(arrow.lines, *label, LABEL_SIZE, 'text-anchor="start"')
    title = f"<title>{escape(' '.join(arrow.lines) or arrow.kind.value)}</title>"
    return f'<g class="arrow {kind}">{title}{line}{text}</g>'


def arrow_heads() -> str:
    """The definitions that `arrow_element` refers to."""
    heads = [
        f'<marker id="{kind.name.lower()}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="{HEAD:g}" '
        f'markerHeight="{HEAD:g}" markerUnits="userSpaceOnUse" orient="auto">'
        f'<path d="M0 0.8L8 4L0 7.2z" fill="{STROKES[kind]}"/></marker>'
        for kind in ArrowKind
    ]
    return f"<defs>{''.join(heads)}</defs>"


def text_element(lines: Sequence[str], x: float, y: float, size: float, options: str = "") -> str:
    """Lines of text around a centre (or from it to the right, with such an option)."""
    height = LINE_HEIGHT * size
    # A base line is about a third of the size below the middle of its line.
    first = y - (len(lines) - 1) / 2 * height + size * 0.35
    spans = [
        f'<tspan x="{number_text(x)}" y="{number_text(first + number * height)}">{escape(line)}</tspan>'
        for number, line in enumerate(lines)
    ]
    return f'<text font-size="{number_text(size)}"{" " * bool(options)}{options}>{"".join(spans)}</text>'


def _rectangle(rect: Rect, fill: str, options: str = "") -> str:
    x, y, width, height = (number_text(each) for each in (rect.x, rect.y, rect.width, rect.height))
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}" stroke="{OUTLINE}"'
        f"{' ' * bool(options)}{options}/>"
    )


def _ellipse(rect: Rect, fill: str) -> str:
    x, y = number_text(rect.x + rect.width / 2), number_text(rect.y + rect.height / 2)
    across, down = number_text(rect.width / 2), number_text(rect.height / 2)
    return f'<ellipse cx="{x}" cy="{y}" rx="{across}" ry="{down}" fill="{fill}" stroke="{OUTLINE}"/>'
