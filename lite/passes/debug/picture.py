"""Boxes, arrows and frames: the content of a picture, without a layout."""

from __future__ import annotations

import enum
from dataclasses import field

from lite.dataclass import dataclass


class BoxKind(enum.Enum):
    """The subject of a box; the value is its name in the legend."""

    OP = "op"
    FOLDED = "folded ops"
    VARIABLE = "variable"
    CONSTANT = "constant"
    ARGUMENT = "argument"


class ArrowKind(enum.Enum):
    """The meaning of an arrow; the value is its name in the legend."""

    DATA = "reads, writes"
    BLOCK = "argument or result of a block"
    EFFECT = "order of effects"


@dataclass(frozen=True)
class Box:
    """An op, some folded ops, or one version of a variable.

    `lines` is the text inside the box, `title` its tooltip, `frame` the id of the innermost frame around it.
    """

    id: str
    kind: BoxKind
    lines: tuple[str, ...]
    title: str
    frame: str | None = None
    is_result: bool = False


@dataclass(frozen=True)
class Arrow:
    """An arrow between two boxes, given by their ids; `lines` is its label."""

    source: str
    target: str
    lines: tuple[str, ...] = ()
    kind: ArrowKind = ArrowKind.DATA


@dataclass(frozen=True)
class Frame:
    """A coloured rectangle around the boxes of a block or region; `parent` is the id of an outer frame."""

    id: str
    label: str
    color: str
    parent: str | None = None


@dataclass
class Picture:
    """Boxes and frames by id, outer frames before inner ones, and arrows; the order is deterministic."""

    boxes: dict[str, Box] = field(default_factory=dict)
    arrows: list[Arrow] = field(default_factory=list)
    frames: dict[str, Frame] = field(default_factory=dict)

    def add_box(self, box: Box) -> None:
        """Add a box with a new id."""
        self.boxes[box.id] = box

    def add_frame(self, frame: Frame) -> None:
        """Add a frame with a new id, after its parent."""
        self.frames[frame.id] = frame
