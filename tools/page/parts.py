"""What the page shows beside the graph, as plain data: placement, times of a run, memory, differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from lite.dataclass import dataclass
from lite.memory import largest_live_set
from lite.runtime.observe.memory_use import MemoryUse
from lite.runtime.observe.profile import Profile, Span
from lite.subgraph.report import PlacementReport
from lite.tools.analysis.shapes_of_run import OpMacs, Shapes
from lite.tools.analysis.value_differences import ValueDifference
from lite.tools.analysis.value_quality import ValueQuality, loss_sentence
from lite.tools.arrays.comparison import Comparison
from lite.tools.memory_plan import compare_strategies, requests_of

Part = Mapping[str, object]

MAX_RUNS = 5
"""The most runs of the timeline: the median one, and those around it by time."""

MAX_CALLS = 20_000
"""The most calls of all runs of the timeline; the page has at least one run."""


@dataclass(frozen=True)
class Times:
    """Milliseconds: creating the predictor, the first run, and the median of `runs` others."""

    load_ms: float
    cold_ms: float
    warm_ms: float | None
    runs: int


def placement_part(report: PlacementReport, times: Times | None = None) -> Part:
    """The shares of devices, the regions, and the ops before regions were formed, with the reasons."""
    return {
        "devices": report.devices,
        "coverage": report.coverage,
        "regions": [asdict(region) for region in report.regions],
        "pruned": report.pruned,
        "warnings": report.warnings,
        "detectors": report.detectors,
        "times": None if times is None else asdict(times),
        "ops": [
            [op.block, op.name, op.type, op.placed_on, op.macs, list(op.why_not.items())] for op in report.ops
        ],
    }


def timeline_part(profile: Profile) -> Part:
    """The time of each op, and the calls of some runs; all times in microseconds."""
    rows = {id(row): number for number, row in enumerate(profile.ops)}
    return {
        "summary": profile.summary,
        "runs": len(profile.runs),
        "wall": _us(profile.wall_ms * 1e6),
        "ops": [
            [
                row.block,
                row.output,
                row.op,
                row.place,
                row.calls,
                _us(row.self_ms * 1e6 / len(profile.runs)),
                _us(row.min_ms * 1e6),
                _us(row.max_ms * 1e6),
                round(row.share, 6),
                row.bytes,
                row.shapes,
            ]
            for row in profile.ops
        ],
        "shown": [
            {
                "number": number,
                "length": _us(run.stop - run.start),
                "calls": [
                    [
                        rows[id(call.op)],
                        _us(call.start - run.start),
                        _us(call.stop - call.start),
                        call.op.depth,
                    ]
                    for call in calls
                    if call.op is not None
                ],
            }
            for number, run, calls in _chosen_runs(profile)
        ],
    }


def seen_part(shapes: Shapes, counted: Sequence[OpMacs]) -> Part:
    """The shapes of values in a run, by block and name, and the multiply-accumulates of ops."""
    return {
        "shapes": [[*key, shape] for key, shape in shapes.items()],
        "macs": [list(vars(each).values()) for each in counted],
    }


def memory_part(use: MemoryUse) -> Part:
    """The arenas with their buffers, the strategies compared, and the bytes outside of arenas."""
    return {
        "strategy": use.strategy,
        "strategies": [asdict(row) for row in compare_strategies(use.arenas)],
        "scratch": use.scratch,
        "weights": use.weights,
        "copied": use.copied,
        "packed": use.packed,
        "arenas": [
            {
                "block": arena.block,
                "start": arena.start,
                "stop": arena.stop,
                "size": arena.size,
                "live": largest_live_set(requests_of(arena)),
                "buffers": [[b.names, b.offset, b.size, b.first, b.last] for b in arena.buffers],
            }
            for arena in use.arenas
            if arena.size
        ],
    }


def differences_part(
    sentence: str,
    tolerance: float,
    outputs: Sequence[Comparison],
    values: Sequence[ValueDifference],
    only: Mapping[str, Sequence[ValueDifference]],
    qualities: Sequence[ValueQuality] = (),
) -> Part:
    """The compared outputs and values, and those that only one run has; errors are None, numbers or "inf".

    `qualities` are those of a quantised model.
    """
    return {
        "sentence": sentence,
        "tolerance": tolerance,
        "outputs": [[each.name, _error(each.error), each.problem] for each in outputs],
        "values": [
            [each.block, each.name, each.op_a, each.op_b, _error(each.error), each.problem] for each in values
        ],
        "only": {
            side: [[each.block, each.name, each.op_a or each.op_b] for each in listed]
            for side, listed in only.items()
        },
        "quality": quality_part(qualities) if qualities else None,
    }


def quality_part(qualities: Sequence[ValueQuality]) -> Part:
    """The noise of each value of a quantised model."""
    return {
        "sentence": loss_sentence(qualities),
        "values": [
            [each.name, each.op, _error(each.sqnr), each.cosine, each.largest_error, each.saturated]
            for each in qualities
        ],
    }


def _chosen_runs(profile: Profile) -> list[tuple[int, Span, list[Span]]]:
    """Number, span and calls of the runs of the timeline, the median run first."""
    lengths = [run.stop - run.start for run in profile.runs]
    median = sorted(lengths)[len(lengths) // 2]
    order = sorted(range(len(lengths)), key=lambda number: abs(lengths[number] - median))
    per_run = max(len(profile.calls) // len(lengths), 1)
    chosen = order[: max(1, min(MAX_RUNS, MAX_CALLS // per_run))]
    return [
        (number, run, [call for call in profile.calls if run.start <= call.start < run.stop])
        for number, run in ((number, profile.runs[number]) for number in chosen)
    ]


def _us(nanoseconds: float) -> float:
    return round(nanoseconds / 1e3, 2)


def _error(error: float | None) -> float | str | None:
    return error if error is None or math.isfinite(error) else str(error)
