"""Pictures of the graph between any two passes."""

from __future__ import annotations

import logging
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from lite.ir.graph import Graph
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.debug.dot import dot_text
from lite.passes.registry import register_pass

log = logging.getLogger(__name__)

_SECONDS = 60
"""How long Graphviz may take for one picture; layouts of large graphs may never end."""


@register_pass
@dataclass(frozen=True)
class GraphVisualizePass(Pass):
    """Draws the graph and changes nothing::

        graph  ->  the same graph, and <dot_dir>/<number>_<previous pass>.dot (and .svg)

    It may stand anywhere in a list, any number of times; the number counts its places from 0, and
    ``start`` is the graph before any pass.  The picture needs Graphviz's program ``dot`` and is left
    out where that is missing or with ``svg=false``.
    """

    svg: bool = True

    name: ClassVar[str] = "graph_visualize_pass"
    whole_program: ClassVar[bool] = True

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Without a directory to write to, warns once."""
        number = ctx.history.count(self.name)
        if ctx.dot_dir is None:
            if number == 0:
                log.warning("%s draws nothing: set dot_dir, as in Config(…, dot_dir='pictures')", self.name)
            return Outcome.UNCHANGED
        previous = next((name for name in reversed(ctx.history) if name != self.name), "start")
        ctx.dot_dir.mkdir(parents=True, exist_ok=True)
        path = ctx.dot_dir / f"{number:02d}_{previous}.dot"
        path.write_text(dot_text(graph), encoding="utf-8")
        if self.svg:
            _draw(path)
        return Outcome.UNCHANGED


def _draw(path: Path) -> None:
    program = shutil.which("dot")
    if program is None:
        return
    command = [program, "-Tsvg", str(path), "-o", str(path.with_suffix(".svg"))]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        log.warning("%s is not drawn: %s", path, error)
