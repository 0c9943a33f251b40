"""A picture as an SVG file, drawn by Graphviz or here."""

from __future__ import annotations

import logging
import shutil
import subprocess
from pathlib import Path
from typing import Literal

from lite.passes.debug.picture import Picture
from lite.passes.debug.svg import svg_text

Renderer = Literal["auto", "dot", "embedded"]
"""Who draws: Graphviz's program ``dot`` where it is there, only it, or the renderer that needs nothing."""

log = logging.getLogger(__name__)

_SECONDS = 60
"""How long Graphviz may take for one picture; layouts of large graphs may never end."""


def render(picture: Picture, dot: Path, renderer: Renderer, limit: int, legend: bool) -> None:
    """Draw a picture beside its DOT file, with the suffix ``.svg``.

    One with more than `limit` boxes is not drawn; a warning says so, like one that says that Graphviz
    is missing or has failed.
    """
    if len(picture.boxes) > limit:
        log.warning("%s is not drawn: %d boxes are more than limit=%d", dot, len(picture.boxes), limit)
        return
    program = None if renderer == "embedded" else shutil.which("dot")
    if program is not None and _run(program, dot):
        return
    if renderer == "dot":
        if program is None:
            log.warning("%s is not drawn: Graphviz's program dot is not installed", dot)
        return
    dot.with_suffix(".svg").write_text(svg_text(picture, legend), encoding="utf-8")


def _run(program: str, dot: Path) -> bool:
    svg = dot.with_suffix(".svg")
    command = [program, "-Tsvg", str(dot), "-o", str(svg)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        log.warning("Graphviz did not draw %s: %s", dot, error)
        return False
    return True
