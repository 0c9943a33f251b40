"""Drawings in SVG, HTML and PNG files."""

from __future__ import annotations

import builtins
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lite.errors import ConfigError
from lite.tools.drawing import Drawing, Line, Rect, Text

DRAWING = Drawing(
    40,
    30,
    [
        Rect(1, 2, 10, 5.5, "#ff0000", "a < b"),
        Rect(0, 0, 1, 1, "red"),
        Line(0, 0, 5, 6),
        Text(3, 9, "x&y", "end", bold=True),
    ],
)

SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30" viewBox="0 0 40 30" \
font-family="sans-serif" font-size="11">
<rect width="40" height="30" fill="#ffffff"/>
<rect x="1" y="2" width="10" height="5.5" fill="#ff0000" stroke="#444444" stroke-width="0.5">\
<title>a &lt; b</title></rect>
<rect x="0" y="0" width="1" height="1" fill="red" stroke="#444444" stroke-width="0.5"></rect>
<line x1="0" y1="0" x2="5" y2="6" stroke="#888888"/>
<text x="3" y="9" fill="#222222" text-anchor="end" font-weight="bold">x&amp;y</text>
</svg>
"""


def test_svg_has_one_element_per_shape(tmp_path: Path) -> None:
    DRAWING.save(tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert text == SVG
    assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"


def test_html_is_a_page_with_the_svg(tmp_path: Path) -> None:
    DRAWING.save(tmp_path / "a&b.html")
    text = (tmp_path / "a&b.html").read_text(encoding="utf-8")
    assert text == (
        '<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>a&amp;b</title></head>\n'
        f"<body>\n{SVG}</body></html>\n"
    )


def test_png_has_the_size_and_colours_of_the_drawing(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    DRAWING.save(tmp_path / "a.png")
    with image.open(tmp_path / "a.png") as picture:
        assert picture.size == (40, 30)
        assert picture.getpixel((8, 5)) == (255, 0, 0)
        assert picture.getpixel((39, 29)) == (255, 255, 255)


def test_png_without_pillow_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without_pillow(name: str, *arguments: object) -> object:
        if name.partition(".")[0] == "PIL":
            raise ImportError(name)
        return original(name, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without_pillow)
    with pytest.raises(ConfigError, match="PNG needs Pillow"):
        DRAWING.save(tmp_path / "a.png")


def test_unknown_format_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"a\.pdf: the name of a picture ends with \.svg, \.html, \.png"):
        DRAWING.save(tmp_path / "a.pdf")
    assert list(tmp_path.iterdir()) == []
