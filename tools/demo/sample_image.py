"""Draws the sample picture of the OCR demo, ``tools/demo/assets/cafe.png``.

The font is Pillow's own, so that the picture is the same on all systems.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

PICTURE = Path(__file__).parent / "assets" / "cafe.png"

STRINGS = (
    "HARBOUR CAFE",
    "Open 7:30 to 18:00",
    "Espresso",
    "2.40",
    "Apple cake",
    "3.75",
    "Lemonade 330 ml",
    "1.90",
    "Total",
    "8.05",
    "Thank you for your visit!",
)
"""Every text in the picture, from top to bottom and left to right."""

_SIZE = (800, 600)
_WALL, _BOARD, _PAPER = "#d8cfc0", "#21453f", "#fbfaf5"
_INK, _CHALK, _RED = "#1c1c1c", "#f4f1e6", "#a32020"


def draw() -> Image.Image:
    """The picture: a sign above a price list, and a line that is upside down."""
    from PIL import Image, ImageDraw

    picture = Image.new("RGB", _SIZE, _WALL)
    pen = ImageDraw.Draw(picture)
    pen.rounded_rectangle((40, 25, 760, 185), 18, fill=_BOARD, outline=_CHALK, width=4)
    _write(pen, 0, (400, 80), 64, _CHALK, "mm")
    _write(pen, 1, (400, 148), 36, _CHALK, "mm")
    pen.rectangle((90, 215, 710, 495), fill=_PAPER, outline=_INK, width=2)
    for row in range(4):
        middle = 255 + 66 * row
        color = _RED if row == 3 else _INK
        _write(pen, 2 + 2 * row, (130, middle), 38, color, "lm")
        _write(pen, 3 + 2 * row, (670, middle), 38, color, "rm")
    strip = Image.new("RGB", (560, 70), _WALL)
    _write(ImageDraw.Draw(strip), 10, (280, 35), 40, _INK, "mm")
    picture.paste(strip.rotate(180), (120, 515))
    return picture


def _write(
    pen: ImageDraw.ImageDraw, text: int, place: tuple[int, int], size: int, color: str, anchor: str
) -> None:
    from PIL import ImageFont

    pen.text(place, STRINGS[text], fill=color, font=ImageFont.load_default(size), anchor=anchor)


@click.command(help=__doc__)
@click.option(
    "--to", type=click.Path(dir_okay=False, path_type=Path), default=PICTURE, help="The file to write."
)
def main(to: Path) -> None:
    """Draw the picture, and save it with few colours to keep the file small."""
    draw().quantize(32).save(to, optimize=True)


if __name__ == "__main__":
    main()
