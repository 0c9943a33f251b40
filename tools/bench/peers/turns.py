"""Turns of several engines on the same cores: what one leaves behind must not slow down the next."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lite.tools.bench.peers.peer import LoadedModel


@dataclass(frozen=True)
class Turns:
    """How many turns each engine has, and how one goes: runs that settle it, then runs that count.

    Workers of the engine before spin on the cores that the next one needs, for up to 200 ms with Intel's
    OpenMP, and its own sleep; caches hold the weights of the one before.
    """

    rounds: int = 5
    settling_seconds: float = 0.25
    settling_runs: int = 3
    counted: int = 5

    def take(self, model: LoadedModel, now: Callable[[], float] = time.perf_counter) -> list[float]:
        """Seconds of the runs that count."""
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
        """Seconds by engine.  The order changes from round to round; `advance` follows each turn."""
        times: dict[str, list[float]] = {name: [] for name in models}
        for number in range(self.rounds):
            for name in random.Random(number).sample(list(models), len(models)):
                times[name] += self.take(models[name])
                advance()
        return times
