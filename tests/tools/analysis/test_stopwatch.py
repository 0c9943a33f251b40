"""Percentiles, limits and memory; the times themselves are not tested."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.errors import InputError
from lite.tools.analysis.stopwatch import Latency, Limit, latency, peak_memory, time_runs
from tests.tools.tiny_model import X


def percentile(times: list[float], percent: float) -> float:
    """The percentile, interpolated between the two nearest ranks."""
    ordered = sorted(times)
    rank = (len(times) - 1) * percent / 100
    low = int(rank)
    high = min(low + 1, len(times) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (rank - low)


@pytest.mark.parametrize("times", [[5.0], [3.0, 1.0], [float(n * n % 97) for n in range(50)]])
def test_the_latency_has_the_percentiles(times: list[float]) -> None:
    result = latency(times)
    expected = Latency(
        min(times),
        sum(times) / len(times),
        percentile(times, 50),
        percentile(times, 90),
        percentile(times, 99),
        max(times),
    )
    np.testing.assert_allclose(list(vars(result).values()), list(vars(expected).values()))


def test_progress_follows_runs_or_seconds() -> None:
    assert [Limit(4).progress(runs, 1e9) for runs in (1, 4, 5)] == [0.25, 1.0, 1.25]
    assert [Limit(4, 2.0).progress(100, seconds) for seconds in (0.5, 2.0)] == [0.25, 1.0]


@pytest.mark.parametrize("clones", [1, 3])
def test_each_predictor_runs_up_to_its_limit(workplace: Path, clones: int) -> None:
    predictor = lite.create_predictor(lite.Config("model_dir"))
    shown: list[float] = []
    predictors = [predictor, *(predictor.clone() for _ in range(clones - 1))]
    times, wall = time_runs(predictors, {"x": X}, {}, Limit(4), shown.append)
    assert len(times) == 4 * clones
    assert shown == [0.25, 0.5, 0.75, 1.0]
    assert max(times) / 1e3 <= wall


def test_a_short_time_limit_allows_one_run(workplace: Path) -> None:
    predictor = lite.create_predictor(lite.Config("model_dir"))
    times, wall = time_runs([predictor], {"x": X}, {}, Limit(50, 1e-9))
    assert (len(times), wall > 0) == (1, True)


def test_the_error_of_a_run_is_raised(workplace: Path) -> None:
    predictor = lite.create_predictor(lite.Config("model_dir"))
    with pytest.raises(InputError):
        time_runs([predictor, predictor.clone()], {}, {}, Limit(2))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not report it")
def test_the_peak_memory_is_in_bytes(root: Path) -> None:
    code = (
        "from lite.tools.analysis.stopwatch import peak_memory; data = bytes(range(256)) * (1 << 19); "
        "print(len(data), peak_memory())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    used, peak = map(int, done.stdout.split())
    # The peak of a process begins with that of the one that started it.
    assert used <= peak <= 100 * used


def test_the_peak_memory_is_none_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    assert peak_memory() is None
