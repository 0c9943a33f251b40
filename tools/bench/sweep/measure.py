"""Times a case in litebridge and in other engines, in turns in one process."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

import lite
from lite.dataclass import dataclass
from lite.errors import LiteError
from lite.ir.types import Array
from lite.tools.bench.peers.onnxruntime import ONNX_RUNTIME
from lite.tools.bench.peers.openvino import OPENVINO
from lite.tools.bench.peers.peer import CannotRunError, Feeds, Files
from lite.tools.bench.peers.row import OURS
from lite.tools.bench.sweep.case import Case

PEERS = (ONNX_RUNTIME, OPENVINO)

Call = Callable[[], Sequence[Array]]
Clock = Callable[[], float]


@dataclass(frozen=True)
class Result:
    """Least milliseconds of a run by engine.

    `difference` is the largest from ONNX Runtime's answers, relative to the largest element; None if it
    does not run the case.
    """

    family: str
    name: str
    milliseconds: Mapping[str, float]
    difference: float | None
    left_out: Mapping[str, str]

    @property
    def ratio(self) -> float:
        """Of litebridge's time to that of the better peer; NaN without either."""
        others = [value for name, value in self.milliseconds.items() if name != OURS]
        return self.milliseconds[OURS] / min(others) if others and OURS in self.milliseconds else np.nan


def measure(case: Case, folder: Path, threads: int, rounds: int, seconds: float) -> Result:
    """Load a case in all engines, compare the answers, and time the engines in `rounds` turns.

    A turn takes `seconds`, at least two runs; see `clock_for`.
    """
    path = folder / "case.onnx"
    feeds = case.write(path)
    calls, left_out = load_engines(path, feeds, threads)
    answers = {name: call() for name, call in calls.items()}
    least = least_times(calls, rounds, seconds, threads)
    difference = None
    if OURS in answers and ONNX_RUNTIME.name in answers:
        pairs = zip(answers[OURS], answers[ONNX_RUNTIME.name], strict=True)
        difference = max(relative_difference(mine, other) for mine, other in pairs)
    return Result(case.family, case.name, {n: 1e3 * s for n, s in least.items()}, difference, left_out)


def least_times(calls: Mapping[str, Call], rounds: int, seconds: float, threads: int = 1) -> dict[str, float]:
    """The least seconds of a run of each engine by `clock_for`, in `rounds` turns of `seconds`."""
    least = dict.fromkeys(calls, float("inf"))
    clock = clock_for(threads)
    for number in range(rounds):
        for name in sorted(calls, reverse=number % 2 == 1):
            least[name] = min(least[name], _turn(calls[name], seconds, clock))
    return least


def clock_for(threads: int) -> Clock:
    """The CPU time of one thread, which other programs hardly change; the time that passes for several.

    Threads that wait for work may take CPU time, too.
    """
    return time.process_time if threads == 1 else time.perf_counter


def load_engines(path: Path, feeds: Feeds, threads: int) -> tuple[dict[str, Call], dict[str, str]]:
    """A function for each engine that runs the model, and the reasons why others do not."""
    calls: dict[str, Call] = {}
    left_out: dict[str, str] = {}
    for peer in PEERS:
        try:
            loaded = peer.load(Files(path), feeds, threads)
            loaded.answers()
            calls[peer.name] = loaded.answers
        except CannotRunError as error:
            left_out[peer.name] = str(error)
        except Exception as error:  # noqa: BLE001 - whatever another engine raises, it does not run the case
            left_out[peer.name] = str(error).splitlines()[0]
    try:
        predictor = lite.create_predictor(lite.Config(path, threads=threads, compilation="wait"))
        arrays = list(feeds.values())
        predictor.run(arrays)
        calls[OURS] = lambda: list(predictor.run(arrays).values())
    except LiteError as error:
        left_out[OURS] = str(error)
    return calls, left_out


def _turn(call: Call, seconds: float, clock: Clock) -> float:
    """The least seconds of a run, in batches that the clock can measure."""
    call()
    start = clock()
    call()
    once = max(clock() - start, 1e-6)
    batch = max(1, int(1e-3 / once))
    least = once
    gc.disable()
    try:
        for _ in range(max(1, int(seconds / once / batch))):
            start = clock()
            for _ in range(batch):
                call()
            least = min(least, (clock() - start) / batch)
    finally:
        gc.enable()
    return least


def relative_difference(mine: Array, other: Array) -> float:
    """The largest difference, relative to the largest element; infinite for another shape."""
    if mine.shape != other.shape or not mine.size:
        return 0.0 if mine.shape == other.shape else float("inf")
    a, b = mine.astype(np.float64), other.astype(np.float64)
    return float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-12))
