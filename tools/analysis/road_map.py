"""What devices would have to support for one or several models, in one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lite.dataclass import dataclass
from lite.subgraph.assumptions import Assumption
from lite.tools.analysis.what_if import Gain, Placed, WhatIf, usefulness

TEMPLATE = Path(__file__).parents[1] / "templates" / "road_map.html.j2"
EVERYTHING = "all of these"
"""The assumption that everything which is declined is supported."""


@dataclass(frozen=True)
class Model:
    """A model as it is placed now, and what assumptions change."""

    name: str
    before: Placed
    gains: tuple[Gain, ...]

    @classmethod
    def of(cls, name: str, analysis: WhatIf, assumed: Sequence[Assumption]) -> Model:
        """The model with these assumptions together, or with each possible one and all of them."""
        before = analysis.placed()
        if assumed:
            count = sum(
                number
                for refusal, number in analysis.refusals.items()
                if any(each.covers(refusal.op, refusal.reason) for each in assumed)
            )
            text = ", ".join(map(str, assumed))
            return cls(name, before, (Gain(text, count, before, analysis.placed(assumed)),))
        gains = analysis.gains()
        if len(analysis.refusals) > 1:
            after = analysis.placed(list(analysis.refusals))
            gains.append(Gain(EVERYTHING, sum(analysis.refusals.values()), before, after))
        return cls(name, before, tuple(gains))


@dataclass(frozen=True)
class Item:
    """What an assumption changes in all models together; `models` are those that it concerns."""

    assumption: str
    count: int
    models: tuple[str, ...]
    before: Placed
    after: Placed


def road_map(models: Sequence[Model]) -> list[Item]:
    """The assumptions, the most useful first; shares are means over all models, the rest are sums."""
    before = _total([each.before for each in models])
    names: dict[str, None] = {}
    for model in models:
        names.update(dict.fromkeys(gain.assumption for gain in model.gains))
    found: list[tuple[Gain, Item]] = []
    for name in names:
        own = [{gain.assumption: gain for gain in model.gains}.get(name) for model in models]
        after = _total(
            [model.before if gain is None else gain.after for model, gain in zip(models, own, strict=True)]
        )
        count = sum(gain.count for gain in own if gain is not None)
        concerned = tuple(
            model.name for model, gain in zip(models, own, strict=True) if gain is not None and gain.count
        )
        found.append((Gain(name, count, before, after), Item(name, count, concerned, before, after)))
    found.sort(key=lambda pair: (pair[0].assumption == EVERYTHING, *usefulness(pair[0])))
    return [item for _, item in found]


def road_map_page(
    title: str, models: Sequence[Model], items: Sequence[Item], skipped: Mapping[str, str]
) -> str:
    """The table as one HTML page that needs no other file."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(title=title, models=models, items=items, skipped=skipped)


def _total(placed: Sequence[Placed]) -> Placed:
    count = max(1, len(placed))
    sizes = [each.bytes for each in placed]
    seconds = [each.seconds for each in placed]
    return Placed(
        sum(each.regions for each in placed),
        sum(each.ops for each in placed) / count,
        sum(each.macs for each in placed) / count,
        None if None in sizes else sum(size for size in sizes if size is not None),
        None if None in seconds else sum(each for each in seconds if each is not None),
    )
