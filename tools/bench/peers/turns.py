"""Lets several engines take turns on the same cores, so that none slows down the next."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Mapping

from lite.dataclass import dataclass
from lite.tools.bench.peers.peer import LoadedModel


@dataclass(frozen=True)
class Turns:
    """The number of turns of each engine; a turn has runs that do not count, then runs that count.

    At the start of a turn, the workers of the previous engine still spin on the cores, for up to 200 ms
    with Intel's OpenMP; the engine's own workers sleep, and the caches have the weights of the other model.
    """

    rounds: int = 5
    settling_seconds: float = 0.25
    settling_runs: int = 3
    counted: int = 5

    def take(self, model: LoadedModel, now: Callable[[], float] = time.perf_counter) -> list[float]:
        """The seconds of the runs that count in one turn."""
        begin, runs = now(), 0
        while runs < self.settling_runs or now() - begin < self.settling_seconds:
            model.seconds()
            runs += 1
        gc.disable()
        try:
            return [model.seconds() for _ in range(self.counted)]
        finally:
            gc.enable()

    def interleave(
        self, models: Mapping[str, LoadedModel], advance: Callable[[], None] = lambda: None
    ) -> dict[str, list[float]]:
        """The seconds by engine, in an order that changes each round; `advance` is called after each turn."""
        times: dict[str, list[float]] = {name: [] for name in models}
        for number in range(self.rounds):
            for name in random.Random(number).sample(list(models), len(models)):
                times[name] += self.take(models[name])
                advance()
        return times
