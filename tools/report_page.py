"""The placement report as one HTML page that needs no other file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lite.ir.graph import Graph
from lite.passes.debug.folding import Folding
from lite.passes.debug.graph_picture import Wanted, picture_of
from lite.passes.debug.svg import svg_text
from lite.subgraph.report import PlacementReport

TEMPLATE = Path(__file__).parent / "templates" / "report.html.j2"

MOST_BOXES = 2500
"""A graph with more boxes is drawn with each region as one."""


@dataclass(frozen=True)
class Times:
    """Milliseconds: making the predictor, the first run, the median of `runs` others."""

    load_ms: float
    cold_ms: float
    warm_ms: float | None
    runs: int


def picture(graph: Graph) -> str:
    """The graph as SVG: regions in frames of their device's colour."""
    drawn = picture_of(graph, Wanted(types=True, attributes=False))
    if len(drawn.boxes) > MOST_BOXES:
        drawn = picture_of(graph, Wanted(types=True, attributes=False, folding=Folding(("*",))))
    text = svg_text(drawn)
    return text[text.index("<svg") :]


def report_page(title: str, report: PlacementReport, svg: str, times: Times | None) -> str:
    """The page: summary, coverage, times, regions, every op with its reasons, and the graph."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["size"] = size_text
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(title=title, report=report, svg=svg, times=times)


def size_text(size: int | None) -> str:
    """``1.5 MiB``; ``?`` where it is not known."""
    if size is None:
        return "?"
    amount = float(size)
    for unit in ("B", "KiB", "MiB"):
        if amount < 1024:
            return f"{amount:.4g} {unit}"
        amount /= 1024
    return f"{amount:.4g} GiB"
