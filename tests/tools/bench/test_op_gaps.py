"""ONNX Runtime's profile by kind of op."""

from __future__ import annotations

from typing import Any

import pytest

from lite.tools.bench.op_gaps import RUNS, times_of


def event(name: str, ts: int, dur: int, op: str = "") -> dict[str, Any]:
    """An event of a profile, in microseconds."""
    category = "Node" if op else "Session"
    return {"cat": category, "name": name, "ts": ts, "dur": dur, "args": {"op_name": op} if op else {}}


def test_the_first_run_does_not_count() -> None:
    events = [event("model_loading", 0, 90)]
    for run in range(RUNS + 1):
        start = 1000 * (run + 1)
        slow = 100 if run == 0 else 1
        events += [
            event("conv1_kernel_time", start + 1, 400 * slow, "Conv"),
            event("conv1_fence_before", start + 1, 5, "Conv"),
            event("conv2_kernel_time", start + 2, 200 * slow, "FusedConv"),
            event("body_kernel_time", start + 3, 50 * slow, "LSTM"),
            event("if_kernel_time", start + 3, 70 * slow, "If"),
            event("odd_kernel_time", start + 4, 30 * slow, "Erf"),
            event("model_run", start, 800 * slow),
        ]

    times = times_of(events)

    assert times == pytest.approx({"convolution": 0.6, "recurrent": 0.05, "elementwise and other": 0.03})
