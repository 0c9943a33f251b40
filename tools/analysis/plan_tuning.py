"""Finds the fastest placement of a model by running whole placements."""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from lite.config import Config
from lite.errors import LiteError
from lite.io.load import load_program
from lite.ir.types import HOST, Array
from lite.session.build import optimize
from lite.session.predictor import Predictor, create_predictor
from lite.spec.grammar import parse_spec
from lite.subgraph import PLACEMENTS
from lite.subgraph.saved_plan import SavedPlan, SavedRegion
from lite.tools.analysis.stopwatch import Lods

GAIN = 0.98
"""A mixed placement, or a move, must take at most this share of the time of what it replaces."""

ROUNDS = 7
"""How often each placement runs in a comparison; the placements take turns, and the least time counts."""


@dataclass
class Alternative:
    """A placement that was measured: the places that it uses, its regions, and the least seconds of a run.

    `error` says why it could not be measured.
    """

    name: str
    plan: SavedPlan
    seconds: float | None = None
    error: str = ""
    is_single: bool = False
    predictor: Predictor | None = field(default=None, repr=False)


class PlanTuner:
    """Measures placements of a model for inputs of given shapes, in `budget` seconds.

    The placements are: the host alone, each device with the host, each order of several devices by each rule
    of placement; then regions of the fastest one are moved to other places, one at a time.
    """

    def __init__(self, config: Config, feeds: Mapping[str, Array], lods: Lods, budget: float) -> None:
        self._config = config
        self._feeds = feeds
        self._lods = lods
        self._end = time.perf_counter() + budget
        self._folder = tempfile.TemporaryDirectory()
        self._names = [parse_spec(text).name for text in config.devices]
        self.alternatives: list[Alternative] = []

    def run(self, advance: Callable[[], None] = lambda: None) -> Alternative:
        """The fastest placement; the fastest one of a single device if no other one is clearly faster."""
        with self._folder:
            for each in self._candidates():
                self._add(each)
                advance()
            working = [each for each in self.alternatives if each.predictor is not None]
            self._measure(working)
            best = self._chosen()
            while self._has_time():
                better = self._moved(best)
                advance()
                if better is None:
                    break
                best = better
            # Once more beside each other, since the machine may have changed meanwhile.
            single = min((each for each in working if each.is_single), key=_seconds)
            if best is not single:
                self._measure([best, single])
                best = self._chosen_of(best, single)
            return best

    def _candidates(self) -> Iterator[Alternative]:
        devices = self._config.devices
        yield Alternative(HOST, self._plan(()), is_single=True)
        for text, name in zip(devices, self._names, strict=True):
            yield Alternative(name, self._plan((text,)), is_single=True)
        if len(devices) < 2:
            return
        for order in itertools.permutations(devices):
            for placement in PLACEMENTS:
                name = ", ".join(parse_spec(text).name for text in order)
                yield Alternative(f"{name} ({placement})", self._plan(order, placement))

    def _plan(self, devices: tuple[str, ...], placement: str = "priority") -> SavedPlan:
        config = replace(self._config, devices=devices, placement=placement, plan=None)
        report = optimize(load_program(config), config).context.results.placed
        return SavedPlan.of("", report, {}, {})

    def _add(self, alternative: Alternative) -> bool:
        """Prepare a placement that was not measured before; whether it can run."""
        regions = _key(alternative.plan)
        if any(_key(each.plan) == regions for each in self.alternatives):
            return False
        self.alternatives.append(alternative)
        path = Path(self._folder.name, f"{len(self.alternatives)}.json")
        path.write_text(alternative.plan.to_json(), encoding="utf-8")
        try:
            # Without the cache, which would keep a plan of every placement.
            predictor = create_predictor(replace(self._config, plan=path, cache_dir=None))
            predictor.run(self._feeds, lods=self._lods)
        except LiteError as error:
            alternative.error = str(error).splitlines()[0]
            return False
        if any(region.fell_back for region in predictor.report().regions):
            alternative.error = "the host runs a region of it"
            return False
        alternative.predictor = predictor
        return True

    def _measure(self, alternatives: list[Alternative]) -> None:
        for each in alternatives:
            each.seconds = None
        for _ in range(ROUNDS):
            for each in alternatives:
                if each.predictor is None:
                    continue
                start = time.perf_counter()
                each.predictor.run(self._feeds, lods=self._lods)
                taken = time.perf_counter() - start
                each.seconds = taken if each.seconds is None else min(taken, each.seconds)

    def _chosen(self) -> Alternative:
        measured = [each for each in self.alternatives if each.seconds is not None]
        single = min((each for each in measured if each.is_single), key=_seconds)
        return self._chosen_of(min(measured, key=_seconds), single)

    def _chosen_of(self, best: Alternative, single: Alternative) -> Alternative:
        return best if _seconds(best) <= GAIN * _seconds(single) else single

    def _moved(self, best: Alternative) -> Alternative | None:
        """A placement in which one region of `best` is elsewhere, and which is faster."""
        for number, region in enumerate(best.plan.regions):
            for place in (*self._names, HOST):
                if place == region.device or not self._has_time():
                    continue
                regions = list(best.plan.regions)
                if place == HOST:
                    del regions[number]
                else:
                    regions[number] = SavedRegion(place, region.block, region.ops)
                name = f"region {number} of [{best.name}] on {place}"
                other = Alternative(name, replace(best.plan, regions=tuple(regions)))
                if not self._add(other):
                    continue
                self._measure([best, other])
                if _seconds(other) <= GAIN * _seconds(best):
                    return other
        return None

    def _has_time(self) -> bool:
        return time.perf_counter() < self._end


def _key(plan: SavedPlan) -> list[SavedRegion]:
    return sorted(plan.regions, key=lambda region: (region.block, region.ops, region.device))


def _seconds(alternative: Alternative) -> float:
    return float("inf") if alternative.seconds is None else alternative.seconds
