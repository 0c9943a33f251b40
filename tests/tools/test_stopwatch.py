"""Percentiles and limits; times themselves are not tested."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.errors import InputError
from lite.tools.stopwatch import Latency, Limit, latency, time_runs
from tests.tools.tiny_model import X


def by_definition(times: list[float], percent: float) -> float:
    """The percentile, linear between the two nearest ranks."""
    ordered = sorted(times)
    rank = (len(times) - 1) * percent / 100
    low = int(rank)
    high = min(low + 1, len(times) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (rank - low)


@pytest.mark.parametrize("times", [[5.0], [3.0, 1.0], [float(n * n % 97) for n in range(50)]])
def test_latency(times: list[float]) -> None:
    found = latency(times)
    expected = Latency(
        min(times),
        sum(times) / len(times),
        by_definition(times, 50),
        by_definition(times, 90),
        by_definition(times, 99),
        max(times),
    )
    np.testing.assert_allclose(list(vars(found).values()), list(vars(expected).values()))


def test_limits() -> None:
    assert [Limit(4).reached(runs, 1e9) for runs in (1, 4, 5)] == [0.25, 1.0, 1.25]
    assert [Limit(4, 2.0).reached(100, seconds) for seconds in (0.5, 2.0)] == [0.25, 1.0]


@pytest.mark.parametrize("clones", [1, 3])
def test_every_predictor_runs_until_its_limit(workplace: Path, clones: int) -> None:
    predictor = lite.create_predictor(lite.Config("model_dir"))
    shown: list[float] = []
    predictors = [predictor, *(predictor.clone() for _ in range(clones - 1))]
    times, wall = time_runs(predictors, {"x": X}, {}, Limit(4), shown.append)
    assert len(times) == 4 * clones
    assert shown == [0.25, 0.5, 0.75, 1.0]
    assert max(times) / 1e3 <= wall


def test_seconds_are_over_behind_one_run_at_least(workplace: Path) -> None:
    predictor = lite.create_predictor(lite.Config("model_dir"))
    times, wall = time_runs([predictor], {"x": X}, {}, Limit(50, 1e-9))
    assert (len(times), wall > 0) == (1, True)


def test_a_run_that_fails_comes_up(workplace: Path) -> None:
    predictor = lite.create_predictor(lite.Config("model_dir"))
    with pytest.raises(InputError):
        time_runs([predictor, predictor.clone()], {}, {}, Limit(2))
