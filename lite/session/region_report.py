"""What became of the regions of a plan: the report of the passes extended, and listeners told."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lite.runtime import Shared
from lite.subgraph.report import PLANNED, PlacementReport, SignatureReport

if TYPE_CHECKING:
    from lite.runtime.regions.engine import Listener, SubgraphEngine


def reported(placed: PlacementReport, shared: Shared) -> PlacementReport:
    """A copy of `placed` that knows the states of the regions in a plan."""
    report = copy.deepcopy(placed)
    regions = {region.id: region for region in report.regions}
    for engine in engines_of(shared):
        region = regions.get(engine.region.id)
        if region is None:
            continue
        region.signatures = [
            SignatureReport(
                found.signature,
                found.state,
                found.reason,
                found.seconds,
                found.runs,
                found.host_runs,
                engine.cache_notes.get(found.signature, ""),
            )
            for found in engine.bound
        ]
        region.state = " / ".join(dict.fromkeys(each.state for each in region.signatures)) or PLANNED
        region.reason = "; ".join(dict.fromkeys(each.reason for each in region.signatures if each.reason))
    report.fallbacks = dict(Counter(region.device for region in report.regions if region.fell_back))
    return report


@contextmanager
def listening(shared: Shared, listeners: Sequence[Listener]) -> Iterator[None]:
    """Tell the listeners of each model that is built meanwhile."""
    told = [] if shared.regions is None else shared.regions.listeners
    told += listeners
    try:
        yield
    finally:
        for listener in listeners:
            told.remove(listener)


def engines_of(shared: Shared) -> Iterator[SubgraphEngine]:
    """The engines of a plan's regions and of those in its blocks."""
    for engine, blocks in zip(shared.engines, shared.blocks, strict=True):
        if engine is not None:
            yield engine
        for block in blocks:
            yield from engines_of(block)
