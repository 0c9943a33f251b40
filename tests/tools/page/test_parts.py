"""The parts of a page beside the graph."""

from __future__ import annotations

import json

import numpy as np

from lite.config import Config
from lite.runtime.observe.profile import OpProfile, Profile, Span
from lite.session.predictor import Predictor
from lite.subgraph.report import OpReport, PlacementReport
from lite.tools.analysis.value_differences import ValueDifference
from lite.tools.analysis.value_quality import ValueQuality
from lite.tools.arrays.comparison import Comparison
from lite.tools.page.parts import (
    MAX_RUNS,
    Times,
    differences_part,
    memory_part,
    placement_part,
    timeline_part,
)
from tests.tools.tiny_model import X, tiny


def profile_of(lengths: list[int]) -> Profile:
    """Runs of these nanoseconds, each with one call of half the length."""
    row = OpProfile("main", 0, 0, "relu", "y", "host", len(lengths), 2e-3, 2e-3, 1e-3, 1e-3, 1.0, (), (), 8)
    runs, calls, start = [], [], 1000
    for length in lengths:
        runs.append(Span(None, start, start + length))
        calls.append(Span(row, start + 10, start + 10 + length // 2))
        start += length + 5
    return Profile([row], runs, calls, 0)


def test_the_timeline_starts_with_the_median_run() -> None:
    part = timeline_part(profile_of([9000, 3000, 4000]))
    assert part["shown"] == [
        {"number": 2, "length": 4.0, "calls": [[0, 0.01, 2.0, 0]]},
        {"number": 1, "length": 3.0, "calls": [[0, 0.01, 1.5, 0]]},
        {"number": 0, "length": 9.0, "calls": [[0, 0.01, 4.5, 0]]},
    ]
    assert part["ops"] == [["main", "y", "relu", "host", 3, 0.67, 1.0, 1.0, 1.0, 8, " -> "]]


def test_the_timeline_has_few_runs() -> None:
    shown = timeline_part(profile_of(list(range(1000, 1100))))["shown"]
    assert isinstance(shown, list)
    assert [run["number"] for run in shown] == [50, 49, 51, 48, 52]
    assert len(shown) == MAX_RUNS


def test_placement_has_ops_reasons_and_times() -> None:
    report = PlacementReport(["npu"])
    report.enter(OpReport("y", "scale", "main", "host", {"npu": "too small"}, 4, 16))
    part = placement_part(report, Times(1.0, 2.0, None, 0))
    assert part["ops"] == [["main", "y", "scale", "host", 4, [("npu", "too small")]]]
    assert part["times"] == {"load_ms": 1.0, "cold_ms": 2.0, "warm_ms": None, "runs": 0}
    assert part["coverage"] == {
        "host": {"ops": 1.0, "macs": 1.0, "bytes": 1.0},
        "npu": {"ops": 0.0, "macs": 0.0, "bytes": 0.0},
    }


def test_memory_has_every_buffer() -> None:
    predictor = Predictor.of_program(tiny(), Config(model_buffer=b"", passes=[]))
    predictor.run({"x": X})
    part = memory_part(predictor.memory())
    assert part["arenas"] == [
        {
            "block": "main",
            "start": 0,
            "stop": 3,
            "size": 64,
            "live": (64, 0),
            "buffers": [[("xw", "sum"), 0, 24, 0, 2]],
        }
    ]
    assert part["weights"] == (12 + 3) * np.dtype(np.float32).itemsize


def test_differences_are_plain_data() -> None:
    value = ValueDifference("main", "y", "relu", "fc", float("inf"), "above 0.1")
    only = ValueDifference("main", "z", "", "fc", None, None)
    part = differences_part("they differ", 0.1, [Comparison("y", None, "shape")], [value], {"B": [only]})
    assert json.loads(json.dumps(part)) == {
        "sentence": "they differ",
        "tolerance": 0.1,
        "outputs": [["y", None, "shape"]],
        "values": [["main", "y", "relu", "fc", "inf", "above 0.1"]],
        "only": {"B": [["main", "z", "fc"]]},
        "quality": None,
    }


def test_the_noise_of_values_is_plain_data() -> None:
    values = [
        ValueQuality("a", "conv2d", 12.5, 0.97, 0.5, 0.01),
        ValueQuality("y", "relu", float("inf"), 1.0, 0.0, None),
    ]
    part = differences_part("they differ", 0.1, [], [], {}, values)
    assert json.loads(json.dumps(part["quality"])) == {
        "sentence": "the first value with less than 20 dB is a, which conv2d writes; "
        "the worst are a (conv2d, 12.5 dB), y (relu, inf dB)",
        "values": [
            ["a", "conv2d", 12.5, 0.97, 0.5, 0.01],
            ["y", "relu", "inf", 1.0, 0.0, None],
        ],
    }
