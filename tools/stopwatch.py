"""Times runs of a predictor, alone or with clones in threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from lite.ir.types import Array
from lite.session.predictor import Predictor

Lods = Mapping[str, Sequence[Sequence[int]]]


@dataclass(frozen=True)
class Latency:
    """Milliseconds of single runs; the percentiles interpolate linearly."""

    min_ms: float
    mean_ms: float
    p50_ms: float
    p90_ms: float
    p99_ms: float
    max_ms: float


@dataclass(frozen=True)
class Limit:
    """When to stop: after so many runs or, where `seconds` is given, when these are over."""

    runs: int
    seconds: float | None = None

    def reached(self, runs: int, seconds: float) -> float:
        """The share of the way that is behind; 1 or more: no further run is wanted."""
        return runs / self.runs if self.seconds is None else seconds / self.seconds


def latency(times_ms: Sequence[float]) -> Latency:
    """The summary of at least one time."""
    p50, p90, p99 = np.percentile(times_ms, (50, 90, 99))
    return Latency(
        min(times_ms), sum(times_ms) / len(times_ms), float(p50), float(p90), float(p99), max(times_ms)
    )


def time_runs(
    predictors: Sequence[Predictor],
    feeds: Mapping[str, Array],
    lods: Lods,
    limit: Limit,
    show: Callable[[float], None] = lambda _: None,
) -> tuple[list[float], float]:
    """Run each predictor in a thread of its own until its limit is reached, once at least.

    The milliseconds of every run, and the seconds from the common start to the last end.  `show` is
    told after each run of the first predictor which share of its way is behind.
    """
    ready = threading.Barrier(len(predictors))

    def work(number: int) -> tuple[list[float], float, float]:
        ready.wait()
        times: list[float] = []
        begin = end = time.perf_counter()
        reached = 0.0
        while reached < 1:
            start = time.perf_counter()
            predictors[number].run(feeds, lods=lods)
            end = time.perf_counter()
            times.append((end - start) * 1e3)
            reached = limit.reached(len(times), end - begin)
            if number == 0:
                show(min(reached, 1.0))
        return times, begin, end

    with ThreadPoolExecutor(len(predictors)) as pool:
        results = list(pool.map(work, range(len(predictors))))
    times = [each for found, _, _ in results for each in found]
    return times, max(end for _, _, end in results) - min(begin for _, begin, _ in results)
