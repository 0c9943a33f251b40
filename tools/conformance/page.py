"""The findings of the conformance kit as one HTML page that needs no other file."""

from __future__ import annotations

from pathlib import Path

from lite.tools.conformance.findings import Conformance, Tally

TEMPLATE = Path(__file__).parent.parent / "templates" / "conformance.html.j2"


def conformance_page(conformance: Conformance) -> str:
    """The page: the result, the sections, the ops, and all findings that did not pass."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["percent"] = _percent
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    ops = conformance.ops()
    declined = [tally for tally in ops if not (tally.passed or tally.wrong)]
    return template.render(found=conformance, ops=ops, untouched=declined)


def _percent(tally: Tally) -> str:
    return "–" if tally.score is None else f"{100 * tally.score:.4g} %"
