"""Times runs of a predictor, alone or with clones in threads, and measures the memory of the process."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.session.predictor import Predictor

Lods = Mapping[str, Sequence[Sequence[int]]]


@dataclass(frozen=True)
class Latency:
    """Milliseconds of single runs; the percentiles are interpolated linearly."""

    min_ms: float
    mean_ms: float
    p50_ms: float
    p90_ms: float
    p99_ms: float
    max_ms: float


@dataclass(frozen=True)
class Limit:
    """The end of a measurement: after `runs` runs or, if `seconds` is given, after that time."""

    runs: int
    seconds: float | None = None

    def progress(self, runs: int, seconds: float) -> float:
        """The fraction of the measurement that is done; 1 or more at its end."""
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
    """Run each predictor in its own thread until the limit, but at least once.

    Returns the milliseconds of all runs, and the seconds from the first start to the last end.  `show`
    receives the progress, at most 1, after each run of the first predictor.
    """
    ready = threading.Barrier(len(predictors))

    def work(number: int) -> tuple[list[float], float, float]:
        ready.wait()
        times: list[float] = []
        begin = end = time.perf_counter()
        progress = 0.0
        while progress < 1:
            start = time.perf_counter()
            predictors[number].run(feeds, lods=lods)
            end = time.perf_counter()
            times.append((end - start) * 1e3)
            progress = limit.progress(len(times), end - begin)
            if number == 0:
                show(min(progress, 1.0))
        return times, begin, end

    with ThreadPoolExecutor(len(predictors)) as pool:
        results = list(pool.map(work, range(len(predictors))))
    times = [milliseconds for run_times, _, _ in results for milliseconds in run_times]
    return times, max(end for _, _, end in results) - min(begin for _, begin, _ in results)


def peak_memory() -> int | None:
    """Bytes of the largest resident set of this process so far; None on Windows, which does not report it."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
