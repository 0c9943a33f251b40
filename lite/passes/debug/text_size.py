"""How much room text takes, without a font at hand."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

LINE_HEIGHT = 1.2
"""Of a line, in units of the font's size."""

_NARROW = frozenset("ijlI|.,:;'!` ")
_MIDDLE = frozenset('ftr()[]{}/\\-"*°')
_WIDE = frozenset("mwMWQGOCDHNUR@%#&+=<>~_…×→")


def text_size(lines: Sequence[str], size: float) -> tuple[float, float]:
    """Width and height of lines of a sans serif font: at least what Helvetica and DejaVu Sans need."""
    width = max((_line_width(line) for line in lines), default=0.0)
    return width * size, len(lines) * LINE_HEIGHT * size


def _line_width(line: str) -> float:
    return sum(_character_width(character) for character in line)


def _character_width(character: str) -> float:
    if character in _NARROW:
        return 0.36
    if character in _MIDDLE:
        return 0.45
    if character in _WIDE:
        return 0.88
    if unicodedata.east_asian_width(character) in "WF":
        return 1.0
    return 0.64
