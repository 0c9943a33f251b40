"""Drawings of rectangles, lines and text, written as SVG, HTML or PNG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from lite.errors import ConfigError

FORMATS = (".svg", ".html", ".png")

_FONT = 11
"""Pixels from line to line of text, about."""

CHARACTER = 6.2
"""Pixels that a character of text takes, about."""


@dataclass(frozen=True)
class Rect:
    """A filled rectangle with a thin border; `note` is shown where the mouse rests on it."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    note: str = ""


@dataclass(frozen=True)
class Line:
    """A line from one point to another."""

    x: float
    y: float
    x2: float
    y2: float
    color: str = "#888888"


@dataclass(frozen=True)
class Text:
    """Text whose base line begins at a point, or ends there."""

    x: float
    y: float
    text: str
    at_end: bool = False
    color: str = "#222222"


Shape = Rect | Line | Text


@dataclass(frozen=True)
class Drawing:
    """Shapes, those behind first, on a white sheet; lengths in pixels, y downwards."""

    width: float
    height: float
    shapes: Sequence[Shape]

    def save(self, path: Path) -> None:
        """Write the format that the path's ending says; raises `ConfigError` for others.

        PNG needs Pillow; where it is not installed that is a `ConfigError`, too.
        """
        if path.suffix == ".png":
            self._save_png(path)
        elif path.suffix in FORMATS:
            title = escape(path.stem)
            page = (
                f'<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>{title}</title></head>\n<body>\n'
            )
            text = self.svg() if path.suffix == ".svg" else f"{page}{self.svg()}</body></html>\n"
            path.write_text(text, encoding="utf-8")
        else:
            raise ConfigError(f"{path}: a picture's name ends with {', '.join(FORMATS)}")

    def svg(self) -> str:
        """The drawing as one SVG element."""
        size = f'width="{self.width:g}" height="{self.height:g}"'
        view = f'viewBox="0 0 {self.width:g} {self.height:g}"'
        font = f'font-family="sans-serif" font-size="{_FONT}"'
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} {font}>',
            f'<rect {size} fill="#ffffff"/>',
            *(_svg(shape) for shape in self.shapes),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def _save_png(self, path: Path) -> None:
        try:
            from PIL import Image, ImageDraw
        except ImportError as error:
            raise ConfigError(
                f"{path}: PNG needs Pillow (pip install pillow), which is not installed; "
                "pictures as .svg and .html need nothing"
            ) from error
        image = Image.new("RGB", (round(self.width), round(self.height)), "#ffffff")
        draw = ImageDraw.Draw(image)
        for shape in self.shapes:
            if isinstance(shape, Rect):
                corners = (shape.x, shape.y, shape.x + shape.width, shape.y + shape.height)
                draw.rectangle(corners, shape.fill, "#444444")
            elif isinstance(shape, Line):
                draw.line((shape.x, shape.y, shape.x2, shape.y2), shape.color)
            else:
                x = shape.x - draw.textlength(shape.text) if shape.at_end else shape.x
                draw.text((x, shape.y - _FONT), shape.text, shape.color)
        image.save(path)


def _svg(shape: Shape) -> str:
    if isinstance(shape, Rect):
        place = f'x="{shape.x:g}" y="{shape.y:g}" width="{shape.width:g}" height="{shape.height:g}"'
        look = f'fill="{shape.fill}" stroke="#444444" stroke-width="0.5"'
        return f"<rect {place} {look}><title>{escape(shape.note)}</title></rect>"
    if isinstance(shape, Line):
        ends = f'x1="{shape.x:g}" y1="{shape.y:g}" x2="{shape.x2:g}" y2="{shape.y2:g}"'
        return f'<line {ends} stroke="{shape.color}"/>'
    anchor = ' text-anchor="end"' if shape.at_end else ""
    place = f'x="{shape.x:g}" y="{shape.y:g}"'
    return f'<text {place} fill="{shape.color}"{anchor}>{escape(shape.text)}</text>'
