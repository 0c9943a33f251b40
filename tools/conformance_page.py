"""What a check of a device found as one HTML page that needs no other file."""

from __future__ import annotations

from pathlib import Path

from lite.tools.conformance.findings import Conformance, Tally

TEMPLATE = Path(__file__).parent / "templates" / "conformance.html.j2"


def conformance_page(found: Conformance) -> str:
    """The page: result, sections, ops, all that was declined or wrong."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["percent"] = _percent
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    untouched = [tally for tally in found.ops() if not (tally.passed or tally.wrong)]
    return template.render(found=found, ops=found.ops(), untouched=untouched)


def _percent(tally: Tally) -> str:
    return "–" if tally.score is None else f"{100 * tally.score:.4g} %"
