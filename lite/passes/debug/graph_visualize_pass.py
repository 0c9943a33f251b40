"""Pictures of the graph between any two passes."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import ClassVar, Literal

from lite.ir.graph import Graph
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.debug.dot import dot_text
from lite.passes.debug.folding import Folding
from lite.passes.debug.graph_picture import Wanted, picture_of
from lite.passes.debug.render import render
from lite.passes.registry import register_pass

log = logging.getLogger(__name__)


@register_pass
@dataclass(frozen=True)
class GraphVisualizePass(Pass):
    """Draws the graph and changes nothing::

        graph  ->  the same graph, and <dot_dir>/<number>_<previous pass>.dot and .svg

    It may stand anywhere in a list, any number of times; the number counts its places from 0, and
    ``start`` is the graph before any pass.  Ops are yellow boxes, each version of a variable is an
    ellipse, an op with a block stands with it in a coloured frame; regions of one device share a hue.

    svg: draw it, too.  renderer: ``dot`` (Graphviz's program), ``embedded`` (needs nothing), or
    ``auto``, which is the first where it is installed.  limit: the most boxes that are drawn.
    types: dtypes and shapes at the arrows.  attributes: in the boxes of ops, those that are not as
    their schema says; tooltips have all.  legend: what shapes and colours mean.
    fold: what is one box that counts its ops: nested graphs by name (``block1``, ``block*``), or
    ``prefix:layer3_``, the ops that write a variable with such a name.
    """

    svg: bool = True
    renderer: Literal["auto", "dot", "embedded"] = "auto"
    limit: int = 3000
    types: bool = False
    attributes: bool = True
    legend: bool = True
    fold: tuple[str, ...] = ()

    name: ClassVar[str] = "graph_visualize_pass"
    whole_program: ClassVar[bool] = True

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Without a directory to write to, warns once; also warns of what `fold` does not find."""
        number = ctx.results.history.count(self.name)
        if ctx.dot_dir is None:
            if number == 0:
                log.warning("%s draws nothing: set dot_dir, as in Config(…, dot_dir='pictures')", self.name)
            return Outcome.UNCHANGED
        previous = next((name for name in reversed(ctx.results.history) if name != self.name), "start")
        ctx.dot_dir.mkdir(parents=True, exist_ok=True)
        path = ctx.dot_dir / f"{number:02d}_{previous}.dot"
        folding = Folding(self.fold)
        for pattern in folding.unmatched(graph):
            log.warning("%s: fold: nothing in the graph fits %r", path.name, pattern)
        picture = picture_of(graph, Wanted(self.types, self.attributes, folding))
        path.write_text(dot_text(picture, self.legend), encoding="utf-8")
        if self.svg:
            render(picture, path, self.renderer, self.limit, self.legend)
        return Outcome.UNCHANGED
