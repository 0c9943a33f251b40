"""What a soak does again and again; each action returns how many answers it checked."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import lite
from tests.soak.damage import damage_one
from tests.soak.pool import Model

RUNS = 40
"""Answers of one predictor in an action."""


class WrongError(Exception):
    """Raised for an answer that is wrong."""


class Soak:
    """The state that actions share: models, predictors that live long, and a cache."""

    def __init__(self, models: list[Model], cache: Path, choices: random.Random) -> None:
        self.models = models
        self.cache = cache
        self.choices = choices
        self.living: list[tuple[Model, lite.Predictor]] = []

    def ask(self, model: Model, predictor: lite.Predictor, runs: int, context: str) -> int:
        """Ask so many questions, of all sizes in turn; returns their number."""
        for number in range(runs):
            question = model.questions[number % len(model.questions)]
            problem = model.problem(predictor, question)
            if problem is not None:
                raise WrongError(f"model {model.name}, {context}: {problem}")
        return runs

    def create_and_run(self) -> int:
        """Make a predictor in any setting, run it, and drop it."""
        model, setting = self._draw()
        return self.ask(model, model.predictor(setting), RUNS, setting)

    def run_living(self) -> int:
        """Run a predictor that exists since the beginning."""
        if len(self.living) < 8:
            model, setting = self._draw()
            self.living.append((model, model.predictor(setting)))
        model, predictor = self.choices.choice(self.living)
        return self.ask(model, predictor, 4 * RUNS, "living")

    def run_clones(self) -> int:
        """Run clones in threads at once."""
        model, setting = self._draw()
        predictor = model.predictor(setting)
        problems: list[str] = []

        def work(twin: lite.Predictor) -> None:
            try:
                self.ask(model, twin, RUNS, f"{setting}, clone")
            except (WrongError, lite.LiteError) as error:
                problems.append(f"{type(error).__name__}: {error}")

        threads = [threading.Thread(target=work, args=[predictor.clone()]) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if problems:
            raise WrongError(problems[0])
        return 3 * RUNS

    def run_faulty(self) -> int:
        """Run on a device that fails at some step, so that the host takes over."""
        model = self.choices.choice(self.models)
        fault = self.choices.choice(
            ("fail_at=compile", "fail_at=convert", "fail_at=run", "fail_at=load", "fail_run=3")
        )
        predictor = model.predictor("", devices=[f"sim_npu{{{fault}}}"], min_subgraph_ops=1)
        return self.ask(model, predictor, RUNS, fault)

    def run_cached(self) -> int:
        """Make two predictors from a cache, in which a file may be damaged in between."""
        model, setting = self._draw()
        done = 0
        for _ in range(2):
            predictor = model.predictor(setting, cache_dir=self.cache)
            done += self.ask(model, predictor, RUNS // 4, f"{setting}, cached")
            damage = damage_one(self.cache, self.choices) if self.choices.random() < 0.5 else None
            predictor = model.predictor(setting, cache_dir=self.cache)
            done += self.ask(model, predictor, RUNS // 4, f"{setting}, cached, {damage}")
        return done

    def kill_worker(self) -> int:
        """Kill the worker process of an isolated device between runs."""
        model = self.choices.choice(self.models)
        before = _children()
        predictor = model.predictor("", devices=["sim_npu"], min_subgraph_ops=1, isolate=True)
        done = self.ask(model, predictor, 4, "isolated")
        for child in _children() - before:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, self.choices.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV)))
        return done + self.ask(model, predictor, 4, "isolated, after its worker was killed")

    def _draw(self) -> tuple[Model, str]:
        model = self.choices.choice(self.models)
        return model, self.choices.choice(list(model.settings))


def _children() -> set[int]:
    """The processes that this one started and that still exist."""
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.update(map(int, (task / "children").read_text().split()))
    return found


ACTIONS: Mapping[str, tuple[Callable[[Soak], int], int]] = {
    "create and run": (Soak.create_and_run, 6),
    "living": (Soak.run_living, 8),
    "clones": (Soak.run_clones, 4),
    "faults": (Soak.run_faulty, 3),
    "cached": (Soak.run_cached, 4),
    "killed workers": (Soak.kill_worker, 1),
}
"""The actions and how often each is drawn, by name."""


def draw_action(choices: random.Random) -> tuple[str, Callable[[Soak], Any]]:
    """An action at random."""
    names = list(ACTIONS)
    [name] = choices.choices(names, [ACTIONS[name][1] for name in names])
    return name, ACTIONS[name][0]
