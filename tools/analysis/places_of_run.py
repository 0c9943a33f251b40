"""Where the ops of a run ran."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lite.dataclass import dataclass
from lite.ir.types import HOST
from lite.subgraph.report import PlacementReport


@dataclass(frozen=True)
class PlaceOfRun:
    """A device or the host: its ops, its regions, and how many of these the host ran in its place."""

    place: str
    ops: int
    regions: int
    on_host: int


def places_of_run(report: PlacementReport) -> list[PlaceOfRun]:
    """The places of a predictor's report after a run, those with ops and those that the Config names."""
    ops = Counter(op.placed_on for op in report.ops)
    regions = Counter(region.device for region in report.regions)
    names = dict.fromkeys([*report.devices, *ops])
    return [PlaceOfRun(name, ops[name], regions[name], report.fallbacks.get(name, 0)) for name in names]


def places_text(places: Sequence[PlaceOfRun]) -> str:
    """``openvino: 300 ops in 1 region; host: 10 ops``."""
    return "; ".join(_text(place) for place in places) or HOST


def _text(place: PlaceOfRun) -> str:
    text = f"{place.place}: {place.ops} op{'s' * (place.ops != 1)}"
    if place.regions:
        text += f" in {place.regions} region{'s' * (place.regions != 1)}"
    return text + (f", of which the host ran {place.on_host} instead" if place.on_host else "")
