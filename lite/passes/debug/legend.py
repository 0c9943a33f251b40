"""What the shapes and colours of a picture mean."""

from __future__ import annotations

from dataclasses import dataclass

from lite.passes.debug.picture import ArrowKind, Box, BoxKind, Picture

MAX_FRAMES = 12
"""Frames that a legend lists."""


@dataclass(frozen=True)
class Legend:
    """A sample of each kind of box and arrow that is in a picture, and the frames' labels and colours."""

    boxes: tuple[Box, ...]
    arrows: tuple[ArrowKind, ...]
    frames: tuple[tuple[str, str], ...]


def legend_of(picture: Picture) -> Legend:
    """The legend of a picture, in the order of the kinds and of the frames."""
    kinds = {box.kind for box in picture.boxes.values()}
    boxes = [
        Box(f"legend_{kind.name.lower()}", kind, (kind.value,), kind.value)
        for kind in BoxKind
        if kind in kinds
    ]
    if any(box.is_result for box in picture.boxes.values()):
        boxes.append(Box("legend_result", BoxKind.VARIABLE, ("result",), "result", is_result=True))
    arrows = {arrow.kind for arrow in picture.arrows}
    frames = [(frame.label, frame.color) for frame in picture.frames.values()]
    if len(frames) > MAX_FRAMES:
        frames[MAX_FRAMES:] = [(f"… {len(frames) - MAX_FRAMES} more", "white")]
    return Legend(tuple(boxes), tuple(kind for kind in ArrowKind if kind in arrows), tuple(frames))
