"""DOT file → SVG file, by Graphviz's program ``dot``."""

from __future__ import annotations

import logging
import re
import shutil
import subprocess
from pathlib import Path

from lite.passes.debug.dot import MAX_SIDE

NOT_INSTALLED = (
    "no .svg is written because Graphviz's program `dot` is not installed; install graphviz "
    "(https://graphviz.org/download), or open the graph.html that `litebridge visualize` writes in a browser"
)

log = logging.getLogger(__name__)

_SCALE = re.compile(rb'<g id="graph0"[^>]* transform="scale\(([0-9.]+)')
"""The scale of a drawing that Graphviz shrank to the `size` of its DOT file; it is below 1."""

_TIMEOUT = 60
"""Seconds for one picture: Graphviz's layout of a large graph can take hours."""


def render(dot: Path) -> bool:
    """Write the SVG of a DOT file next to it; whether ``dot`` is installed.

    Logs a warning when Graphviz fails or takes too long, and as information that it shrank the drawing.
    """
    program = shutil.which("dot")
    if program is None:
        return False
    svg = dot.with_suffix(".svg")
    command = [program, "-Tsvg", str(dot), "-o", str(svg)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=_TIMEOUT)
        _note_scale(svg)
    except subprocess.TimeoutExpired:
        log.warning(
            "Graphviz did not draw %s: the layout took more than %d s; the page graph.html of `litebridge "
            "visualize` shows graphs of any size",
            dot,
            _TIMEOUT,
        )
        svg.unlink(missing_ok=True)
    except (OSError, subprocess.SubprocessError) as error:
        log.warning("Graphviz did not draw %s: %s", dot, error)
        svg.unlink(missing_ok=True)
    return True


def _note_scale(svg: Path) -> None:
    """Log that Graphviz shrank a drawing."""
    with svg.open("rb") as file:
        found = _SCALE.search(file.read(4096))
    scale = 1.0 if found is None else float(found[1])
    if scale < 1:
        log.info(
            "%s is drawn at %.0f %% of its size, so that neither side is above %d inches, the limit of "
            "PDF; zoom in, or open graph.html of `litebridge visualize`",
            svg,
            100 * scale,
            MAX_SIDE,
        )
