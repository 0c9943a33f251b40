"""The pass that writes pictures of a graph."""

from __future__ import annotations

import logging
from typing import ClassVar, Literal

from lite.dataclass import dataclass
from lite.ir.graph import Graph
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.debug.dot import dot_text
from lite.passes.debug.folding import Folding
from lite.passes.debug.graph_picture import PictureOptions, picture_of
from lite.passes.debug.parts import parts_of
from lite.passes.debug.render import NOT_INSTALLED, render
from lite.passes.registry import register_pass

log = logging.getLogger(__name__)


@register_pass
@dataclass(frozen=True)
class GraphVisualizePass(Pass):
    """Writes a picture of the graph and does not change the graph::

        graph  ->  the same graph, <dot_dir>/<number>_<previous pass>.dot and .svg

    A list may have this pass in any number of places.  `number` counts them from 0; the previous pass is
    ``start`` before all passes.  In the picture an op is a yellow box, and each version of a variable is
    an ellipse.  A coloured frame encloses an op with nested graphs and their ops; the frames of one
    device's regions share a hue.

    svg: also write SVG, which needs Graphviz's program ``dot``.
    renderer: where ``dot`` is not installed, ``auto`` logs this as information, ``dot`` as a warning.
    limit: the most boxes of an SVG; a larger graph is drawn in parts (``…_1of3.dot`` and ``.svg``), which
    follow the order of its ops, and the DOT file beside them has all of it.
    types: label arrows with dtype and shape.
    attributes: list in the boxes the attributes that differ from the defaults of the op's schema.  Tooltips
    list all attributes.
    legend: explain shapes and colours.
    fold: parts to show as one box with counts of its ops: nested graphs by name (``block1``, ``block*``), or
    ``prefix:layer3_`` for the ops that write a variable with this prefix.
    """

    svg: bool = True
    renderer: Literal["auto", "dot"] = "auto"
    limit: int = 3000
    types: bool = False
    attributes: bool = True
    legend: bool = True
    fold: tuple[str, ...] = ()

    name: ClassVar[str] = "graph_visualize_pass"
    whole_program: ClassVar[bool] = True

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Logs a warning for each `fold` pattern without a match, and one if there is no `dot_dir`."""
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
            log.warning("%s: fold: nothing in the graph matches %r", path.name, pattern)
        picture = picture_of(graph, PictureOptions(self.types, self.attributes, folding))
        path.write_text(dot_text(picture, self.legend), encoding="utf-8")
        if not self.svg:
            return Outcome.UNCHANGED
        parts = parts_of(picture, self.limit)
        paths = [path]
        if len(parts) > 1:
            log.info(
                "%s has %d boxes, more than limit=%d: it is drawn in %d parts",
                path,
                len(picture.boxes),
                self.limit,
                len(parts),
            )
            paths = [path.with_stem(f"{path.stem}_{n}of{len(parts)}") for n in range(1, len(parts) + 1)]
            for each, part in zip(paths, parts, strict=True):
                each.write_text(dot_text(part, self.legend), encoding="utf-8")
        if not all(render(each) for each in paths) and number == 0:
            log.log(logging.WARNING if self.renderer == "dot" else logging.INFO, NOT_INSTALLED)
        return Outcome.UNCHANGED
