"""Logs the place of each value."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from lite.dataclass import dataclass
from lite.ir.graph import Graph
from lite.ir.text_print import value_text
from lite.ir.types import shape_text
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.registry import register_pass

log = logging.getLogger(__name__)

_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO}
_HEAD = ("value", "written by", "type", "target", "dtype", "layout")


@register_pass
@dataclass(frozen=True)
class ArgumentTypeDisplayPass(Pass):
    """Logs every value with its writer, its type and its place, and leaves the graph unchanged.

    Before: ``%y = relu(X=%x) @npu/any/any``.  After: the same, and in the log::

        value  written by  type          target  dtype    layout
        %x     argument    float32[1,2]  host    float32  nchw
        %y     relu        float16[1,2]  npu     float16  nchw
    """

    level: Literal["debug", "info"] = "debug"

    name: ClassVar[str] = "argument_type_display_pass"
    whole_program: ClassVar[bool] = True

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Builds the tables only if the level is logged."""
        if log.isEnabledFor(_LEVELS[self.level]):
            for block in graph.walk():
                log.log(_LEVELS[self.level], "graph %s\n%s", block.name, _table([_HEAD, *_rows(block)]))
        return Outcome.UNCHANGED


def _rows(graph: Graph) -> Iterator[Sequence[str]]:
    values = [(value, "argument") for value in graph.args]
    values += [(value, "constant") for value in graph.constants.values()]
    values += [(value, node.op) for node in graph for value in node.all_outputs()]
    for value, writer in values:
        place = value.place
        where = (
            ("?", "?", "?") if place is None else (place.target, str(place.dtype or "any"), str(place.layout))
        )
        yield value_text(value), writer, f"{value.dtype or '?'}{shape_text(value.shape)}", *where


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
