"""DOT file → SVG file, by Graphviz's program ``dot``."""

from __future__ import annotations

import logging
import shutil
import subprocess
from pathlib import Path

NOT_INSTALLED = (
    "no .svg is written because Graphviz's program `dot` is not installed; install graphviz "
    "(https://graphviz.org/download), or open the graph.html that `litebridge visualize` writes in a browser"
)

log = logging.getLogger(__name__)

_TIMEOUT = 60
"""Seconds for one picture: Graphviz's layout of a large graph can take hours."""


def render(dot: Path) -> bool:
    """Write the SVG of a DOT file next to it; whether ``dot`` is installed.

    Logs a warning when Graphviz fails or takes too long.
    """
    program = shutil.which("dot")
    if program is None:
        return False
    svg = dot.with_suffix(".svg")
    command = [program, "-Tsvg", str(dot), "-o", str(svg)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=_TIMEOUT)
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
