"""Drawings of rectangles, lines and text, written as SVG, HTML or PNG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Literal

from lite.dataclass import dataclass
from lite.errors import ConfigError

FORMATS = (".svg", ".html", ".png")

_FONT = 11
"""The size of text in pixels."""

CHARACTER = 6.2
"""The average width of a character in pixels."""


@dataclass(frozen=True)
class Rect:
    """A filled rectangle with a thin border; `note` is its tooltip."""

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
    """One line of text; the point (x, y) is at the start, middle or end of its base line."""

    x: float
    y: float
    text: str
    anchor: Literal["start", "middle", "end"] = "start"
    color: str = "#222222"
    bold: bool = False


Shape = Rect | Line | Text


@dataclass(frozen=True)
class Drawing:
    """Shapes on a white sheet, from back to front; lengths are in pixels, y grows downwards."""

    width: float
    height: float
    shapes: Sequence[Shape]

    def save(self, path: Path) -> None:
        """Write a file in the format of the path's suffix, and create the folder that it is in.

        Raises `ConfigError` for a suffix not in `FORMATS`, and for PNG if Pillow is not installed.
        """
        if path.suffix in FORMATS:
            path.parent.mkdir(parents=True, exist_ok=True)
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
            raise ConfigError(f"{path}: the name of a picture ends with {', '.join(FORMATS)}")

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
                f"{path}: PNG needs Pillow, which is not installed (pip install pillow); "
                ".svg and .html need no package"
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
                share = {"start": 0.0, "middle": 0.5, "end": 1.0}[shape.anchor]
                x = shape.x - share * draw.textlength(shape.text)
                draw.text((x, shape.y - _FONT), shape.text, shape.color)
        image.save(path)


def _svg(shape: Shape) -> str:
    if isinstance(shape, Rect):
        place = f'x="{shape.x:g}" y="{shape.y:g}" width="{shape.width:g}" height="{shape.height:g}"'
        look = f'fill="{shape.fill}" stroke="#444444" stroke-width="0.5"'
        note = f"<title>{escape(shape.note)}</title>" if shape.note else ""
        return f"<rect {place} {look}>{note}</rect>"
    if isinstance(shape, Line):
        ends = f'x1="{shape.x:g}" y1="{shape.y:g}" x2="{shape.x2:g}" y2="{shape.y2:g}"'
        return f'<line {ends} stroke="{shape.color}"/>'
    look = "" if shape.anchor == "start" else f' text-anchor="{shape.anchor}"'
    look += ' font-weight="bold"' if shape.bold else ""
    place = f'x="{shape.x:g}" y="{shape.y:g}"'
    return f'<text {place} fill="{shape.color}"{look}>{escape(shape.text)}</text>'
