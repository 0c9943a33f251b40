"""The placement report as one HTML page that needs no other file."""

from __future__ import annotations

from dataclasses import dataclass

from lite.subgraph.report import PlacementReport
from lite.tools.graph_page import TEMPLATES


@dataclass(frozen=True)
class Times:
    """Milliseconds: creating the predictor, the first run, and the median of `runs` others."""

    load_ms: float
    cold_ms: float
    warm_ms: float | None
    runs: int


def report_page(title: str, report: PlacementReport, graph_page: str, times: Times | None) -> str:
    """The page: summary, coverage, times, regions, ops with reasons, and the graph's page in a frame."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["size"] = size_text
    template = environment.from_string((TEMPLATES / "report.html.j2").read_text(encoding="utf-8"))
    # The attribute of the frame is in single quotes, which the page hardly contains.
    frame = Markup(graph_page.replace("&", "&amp;").replace("'", "&#39;"))
    return template.render(title=title, report=report, graph_page=frame, times=times)


def size_text(size: int | None) -> str:
    """``1.5 MiB``; ``?`` for an unknown size."""
    if size is None:
        return "?"
    amount = float(size)
    for unit in ("B", "KiB", "MiB"):
        if amount < 1024:
            return f"{amount:.4g} {unit}"
        amount /= 1024
    return f"{amount:.4g} GiB"
