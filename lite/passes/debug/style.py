"""Colours of pictures, the same in DOT and SVG."""

from __future__ import annotations

import colorsys
from collections.abc import Mapping

from lite.passes.debug.picture import ArrowKind, BoxKind

FILLS: Mapping[BoxKind, str] = {
    BoxKind.OP: "yellow",
    BoxKind.FOLDED: "gold",
    BoxKind.VARIABLE: "white",
    BoxKind.CONSTANT: "lightgrey",
    BoxKind.ARGUMENT: "palegreen",
}
STROKES: Mapping[ArrowKind, str] = {
    ArrowKind.DATA: "#404040",
    ArrowKind.BLOCK: "#6a51a3",
    ArrowKind.EFFECT: "#d62728",
}
"""Arrows other than `ArrowKind.DATA` are dashed."""

OUTLINE = "#404040"
FONT = "Helvetica"
FONT_SIZE = 12
LABEL_SIZE = 10
"""Size of the text at arrows."""

_DEVICE_HUES = (0.58, 0.08, 0.36, 0.92, 0.75, 0.48)
_BLOCK_HUES = (0.62, 0.12, 0.30, 0.95, 0.80, 0.50)
_GOLDEN = 0.618034


def block_color(number: int) -> str:
    """The soft colour of the sub-block that comes as `number` in its picture, from 0."""
    return _soft(_hue(_BLOCK_HUES, number), 0.93, 0.7)


def region_color(device: int, number: int) -> str:
    """The colour of region `number` of device `device`, from 0: the device's hue, in changing lightness."""
    return _soft(_hue(_DEVICE_HUES, device), (0.90, 0.85, 0.80)[number % 3], 0.65)


def _hue(hues: tuple[float, ...], number: int) -> float:
    return hues[number] if number < len(hues) else (number * _GOLDEN) % 1


def _soft(hue: float, lightness: float, saturation: float) -> str:
    red, green, blue = colorsys.hls_to_rgb(hue, lightness, saturation)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"
