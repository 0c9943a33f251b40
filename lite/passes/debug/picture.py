"""What a picture of a graph consists of, before anyone decides where it goes on the page."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field


class BoxKind(enum.Enum):
    """What a box stands for."""

    OP = "op"
    FOLDED = "folded ops"
    VARIABLE = "variable"
    CONSTANT = "constant"
    ARGUMENT = "argument"

    @property
    def is_ops(self) -> bool:
        """Whether the box stands for ops; the others stand for values."""
        return self in (BoxKind.OP, BoxKind.FOLDED)


class ArrowKind(enum.Enum):
    """What an arrow says."""

    DATA = "reads, writes"
    BLOCK = "argument or result of a block"
    EFFECT = "order of effects"


@dataclass(frozen=True)
class Box:
    """An op, some folded ops, or one version of a variable; `frame` is the innermost one around it."""

    id: str
    kind: BoxKind
    lines: tuple[str, ...]
    title: str
    frame: str | None = None
    is_result: bool = False


@dataclass(frozen=True)
class Arrow:
    """An arrow from one box to another, by their ids."""

    source: str
    target: str
    lines: tuple[str, ...] = ()
    kind: ArrowKind = ArrowKind.DATA


@dataclass(frozen=True)
class Frame:
    """A block or region: a coloured rectangle around its boxes, in another frame or on the page."""

    id: str
    label: str
    color: str
    parent: str | None = None


@dataclass
class Picture:
    """Boxes and frames by id, outer frames before inner ones, and arrows; all in a fixed order."""

    boxes: dict[str, Box] = field(default_factory=dict)
    arrows: list[Arrow] = field(default_factory=list)
    frames: dict[str, Frame] = field(default_factory=dict)

    def add_box(self, box: Box) -> None:
        """Add a box whose id is new."""
        self.boxes[box.id] = box

    def add_frame(self, frame: Frame) -> None:
        """Add a frame whose id is new, behind the one it is in."""
        self.frames[frame.id] = frame
