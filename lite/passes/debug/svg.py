"""A picture as SVG, laid out here: it needs no program."""

from __future__ import annotations

from lite.passes.debug.layered_layout import arrange
from lite.passes.debug.legend import legend_of
from lite.passes.debug.picture import Picture
from lite.passes.debug.style import FONT
from lite.passes.debug.svg_legend import legend_elements
from lite.passes.debug.svg_path import number_text
from lite.passes.debug.svg_shapes import arrow_element, arrow_heads, box_element, frame_element, frame_label

_MARGIN = 16.0
_LEAST_LEGEND = 640.0
"""A legend may be this wide, even above a picture that is narrower."""


def svg_text(picture: Picture, legend: bool = True) -> str:
    """An SVG document that looks like the picture's DOT; tooltips hold what boxes have no room for."""
    layout = arrange(picture)
    samples, width, height = (
        legend_elements(legend_of(picture), max(layout.width, _LEAST_LEGEND)) if legend else ([], 0.0, 0.0)
    )
    top = _MARGIN + height + (_MARGIN if samples else 0)
    across = number_text(max(layout.width, width) + 2 * _MARGIN)
    down = number_text(top + layout.height + _MARGIN)
    frames = [frame_element(frame, layout.frames[frame.id]) for frame in picture.frames.values()]
    labels = [frame_label(frame, layout.frames[frame.id]) for frame in picture.frames.values()]
    arrows = [
        arrow_element(arrow, path, label)
        for arrow, path, label in zip(picture.arrows, layout.paths, layout.labels, strict=True)
    ]
    boxes = [box_element(box, layout.boxes[box.id]) for box in picture.boxes.values()]
    font = f'font-family="{FONT}, Arial, sans-serif" text-anchor="middle"'
    size = f'width="{across}" height="{down}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {across} {down}" {font}>',
        arrow_heads(),
        f'<rect {size} fill="white"/>',
        f'<g id="legend" transform="translate({number_text(_MARGIN)} {number_text(_MARGIN)})">',
        *samples,
        "</g>",
        f'<g id="graph" transform="translate({number_text(_MARGIN)} {number_text(top)})">',
        *frames,
        *arrows,
        *labels,
        *boxes,
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"
