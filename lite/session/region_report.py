"""The placement report of a predictor, with the states of its regions after the runs so far."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lite.runtime import PlanState
from lite.subgraph.report import PLANNED, PlacementReport, SignatureReport

if TYPE_CHECKING:
    from lite.runtime.regions.engine import SubgraphEngine


def runtime_report(placed: PlacementReport, state: PlanState) -> PlacementReport:
    """A copy of the report of the passes, with the states of a plan's regions."""
    report = copy.deepcopy(placed)
    regions = {region.id: region for region in report.regions}
    for engine in engines_of(state):
        region = regions.get(engine.region.id)
        if region is None:
            continue
        region.signatures = [
            SignatureReport(
                bound.signature,
                bound.state,
                bound.reason,
                bound.seconds,
                bound.runs,
                bound.host_runs,
                engine.cache_notes.get(bound.signature, ""),
            )
            for bound in engine.bound
        ]
        region.state = " / ".join(dict.fromkeys(each.state for each in region.signatures)) or PLANNED
        region.reason = "; ".join(dict.fromkeys(each.reason for each in region.signatures if each.reason))
    report.fallbacks = dict(Counter(region.device for region in report.regions if region.fell_back))
    return report


def engines_of(state: PlanState) -> Iterator[SubgraphEngine]:
    """The engines of the regions of a plan and of its sub-blocks."""
    for engine, blocks in zip(state.engines, state.blocks, strict=True):
        if engine is not None:
            yield engine
        for block in blocks:
            yield from engines_of(block)
