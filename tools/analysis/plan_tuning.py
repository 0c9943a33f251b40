"""Finds the fastest placement of a model by running whole placements."""

from __future__ import annotations

import itertools
import logging
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path

from lite.config import Config
from lite.dataclass import dataclass
from lite.errors import LiteError
from lite.io.load import load_program
from lite.ir.graph import Graph
from lite.ir.types import HOST, Array
from lite.ops.program_graph import program_graph
from lite.passes.aliases import resolve
from lite.passes.base import PassContext
from lite.passes.manager import PassManager
from lite.passes.pipelines import SUBGRAPH_PASS
from lite.session.build import optimize
from lite.session.context import pass_context, pass_list
from lite.session.predictor import Predictor, create_predictor
from lite.spec.grammar import parse_spec
from lite.subgraph import PLACEMENTS
from lite.subgraph.mark import mark
from lite.subgraph.report import MeasuredPlacement
from lite.subgraph.saved_plan import SavedPlan, SavedRegion
from lite.subgraph.tuned_placements import TunedPlacement, TunedPlacements, graph_key
from lite.tools.analysis.region_meter import RegionMeter
from lite.tools.analysis.stopwatch import Lods

log = logging.getLogger(__name__)

GAIN = 0.96
"""A mixed placement, or a moved region, must take at most this share of the time without it.

Runs of a tenth of a millisecond on two threads differ by up to 3 % from one process to the next.
"""

ROUNDS, TURN_SECONDS = 7, 0.005
"""The turns of each placement in a comparison, and the least seconds of a turn; the shortest run counts."""

NEAR = 1.1
"""Placements that take up to this multiple of the shortest time are compared once more at the end."""

LONG_ROUNDS, LONG_TURN_SECONDS = 20, 0.03
"""The same for comparisons that decide: of single devices at the start, and of the fastest ones at the end.

After a run, threads of an SDK may spin on the cores that the next placement uses, so these turns last longer.
There are more of them, as a core that is shared with other programs may be slow for a second.
"""

TIE, INSTANCES = 1.15, 2
"""Single devices that take up to this multiple of the shortest time are compared by more instances.

Where an allocator puts its memory makes one instance of a small model up to a tenth slower than the next.
"""

EQUAL = 1.015
"""The host is chosen if it takes up to this multiple of the best time: it has nothing to build."""

MOST_NEAR = 4
"""The most mixed placements in the last comparison."""


@dataclass
class Alternative:
    """A placement: its name, which lists its places, its regions, and the seconds of its shortest run.

    `error` is the reason why it could not be measured.
    """

    name: str
    plan: SavedPlan
    seconds: float | None = None
    error: str = ""
    is_single: bool = False
    least: float = float("inf")
    """The seconds of the shortest run in all comparisons by long turns."""
    predictor: Predictor | None = field(default=None, repr=False)


class PlanTuner:
    """Measures placements of a model for inputs of given shapes, in `budget` seconds and those of the
    comparisons that decide.

    First the host alone, each device with the host, and each order of several devices by each rule of
    placement; then the fastest division of the model into ranges of ops, whose times are read from `tuned` or
    measured and added to it.  Last, the regions of the fastest placement move to other places, one by one.
    """

    def __init__(
        self,
        config: Config,
        feeds: Mapping[str, Array],
        lods: Lods,
        budget: float,
        tuned: TunedPlacements | None = None,
    ) -> None:
        # The host's kernels that answer until those of the target cpu are compiled would be measured instead.
        self._config = config = replace(config, compilation="wait")
        self._feeds = feeds
        self._lods = lods
        self._budget, self._end = budget, 0.0
        self._folder = Path()
        self._names = [parse_spec(text).name for text in config.devices]
        self._context, self._graph = _divided_graph(config)
        options, devices = self._context.subgraph, self._context.devices
        self._takes: dict[tuple[str, str], list[str]] = {}
        """The devices that take an op, by its block and name."""
        for graph in self._graph.walk():
            marks = mark(graph, devices, options.rules, options.without, None, options.roster.facts)
            self._takes.update(
                ((graph.name, node.label), each.supported_by) for node, each in marks.ops.items()
            )
        self._tuned = TunedPlacements() if tuned is None else tuned
        self.alternatives: list[Alternative] = []

    @property
    def key(self) -> str:
        """The key under which the placement of the main graph is stored."""
        return graph_key(self._graph, self._context.devices)

    def run(self, advance: Callable[[], None] = lambda: None) -> Alternative:
        """The fastest placement of a single device, or a mixed one that takes at most `GAIN` of its time."""
        self._end = time.perf_counter() + self._budget
        with tempfile.TemporaryDirectory() as folder:
            self._folder = Path(folder)
            for each in self._candidates():
                if each.is_single or self._has_time():
                    self._add(each)
                advance()
            start = time.perf_counter()
            self._compare(self._singles())
            self._end += time.perf_counter() - start
            self._measure(self._working())
            self._add_ranges(advance)
            best = self._chosen()
            while self._has_time():
                better = self._moved(best)
                advance()
                if better is None:
                    break
                best = better
            return self._validated()

    def _validated(self) -> Alternative:
        """The fastest placement, after another comparison of the fastest ones with the single devices."""
        least = min(map(_seconds, self.alternatives))
        singles = self._singles()
        near = [each for each in self._working() if not each.is_single and _seconds(each) <= NEAR * least]
        mixed = sorted(near, key=_seconds)[:MOST_NEAR]
        self._compare([*mixed, *singles])
        # The others were measured in shorter turns, so only these can be chosen.
        best = self._untied(singles)
        faster = min(mixed, key=_seconds, default=best)
        if faster is best or _seconds(faster) > GAIN * _seconds(best):
            return best
        self._compare([faster, best])
        return faster if _seconds(faster) <= GAIN * _seconds(best) else best

    def _untied(self, alternatives: list[Alternative]) -> Alternative:
        """The fastest of some, or the host if it is as fast; near ones are compared by more instances."""
        least = min(map(_seconds, alternatives))
        near = [each for each in alternatives if _seconds(each) <= TIE * least]
        if len(near) > 1:
            for _ in range(INSTANCES):
                for each in near:
                    each.predictor = self._instance(each.plan)
                self._compare(near)
        best = min(near, key=_seconds)
        host = next((each for each in near if each.name == HOST), best)
        return host if _seconds(host) <= EQUAL * _seconds(best) else best

    def enter(self, best: Alternative) -> None:
        """Add the placement `best` of each graph of the model to the tuned placements."""
        measured = tuple(self.table(best))
        shapes = {name: list(array.shape) for name, array in self._feeds.items()}
        for graph in self._graph.walk():
            is_main = graph is self._graph
            regions = tuple(region for region in best.plan.regions if region.block == graph.name)
            placement = TunedPlacement(shapes if is_main else {}, regions, measured if is_main else ())
            self._tuned.enter(graph_key(graph, self._context.devices), placement)

    def table(self, best: Alternative) -> list[MeasuredPlacement]:
        """All placements, the fastest first."""
        return [
            MeasuredPlacement(each.name, len(each.plan.regions), each.seconds, each is best, each.error)
            for each in sorted(self.alternatives, key=_seconds)
        ]

    def _candidates(self) -> Iterator[Alternative]:
        devices = self._config.devices
        yield Alternative(HOST, self._plan(()), is_single=True)
        for text, name in zip(devices, self._names, strict=True):
            yield Alternative(name, self._plan((text,)), is_single=True)
        if len(devices) < 2:
            return
        for order in itertools.permutations(devices):
            for placement in PLACEMENTS:
                if not self._has_time():
                    return
                name = ", ".join(parse_spec(text).name for text in order)
                yield Alternative(f"{name} ({placement})", self._plan(order, placement))

    def _plan(self, devices: tuple[str, ...], placement: str = "priority") -> SavedPlan:
        config = replace(self._config, devices=devices, placement=placement, plan=None)
        report = optimize(load_program(config), config).context.results.placed
        return SavedPlan.of("", report, {}, {})

    def _add_ranges(self, advance: Callable[[], None]) -> None:
        """Add the cheapest division of the main graph into ranges, if the host can compute all its values."""
        values = [value for graph in self._graph.walk() for node in graph for value in node.all_outputs()]
        if self._lods or any(value.quant is not None for value in values):
            return
        end = time.perf_counter() + 0.6 * max(0.0, self._end - time.perf_counter())

        def has_time() -> bool:
            advance()
            return time.perf_counter() < end

        try:
            meter = RegionMeter(self._config, self._context, self._graph, self._feeds, self._tuned)
            path = meter.search(has_time)
        except LiteError as error:
            # An op that only the executor runs, such as a loop: only whole placements are compared.
            log.info("the ops of the main graph are not measured in ranges: %s", error)
            return
        if not path:
            return
        # Regions of the graphs in loops and branches are those of the best placement so far.
        inner = [each for each in self._chosen().plan.regions if each.block != self._graph.name]
        name = ", ".join(f"{each.place} {each.first}-{each.end - 1}" for each in path)
        other = Alternative(f"ranges: {name}", SavedPlan("", {}, {}, (), (*meter.regions(path), *inner), {}))
        if self._add(other):
            self._measure([other, self._best_single()])

    def _add(self, alternative: Alternative) -> bool:
        """Prepare a placement that was not measured before; returns whether it can run."""
        if any(each.plan.has_regions_of(alternative.plan) for each in self.alternatives):
            return False
        self.alternatives.append(alternative)
        try:
            alternative.predictor = self._instance(alternative.plan)
        except LiteError as error:
            alternative.error = str(error).splitlines()[0]
            return False
        return True

    def _instance(self, plan: SavedPlan) -> Predictor:
        """A predictor with this placement that has run once; raises `LiteError`."""
        path = Path(self._folder, "plan.json")
        path.write_text(plan.to_json(), encoding="utf-8")
        # Without the cache: it would store a plan of every placement.
        config = replace(self._config, plan=path, cache_dir=None, fallback="error")
        if not plan.regions:
            config = replace(config, devices=(), plan=None, partition_rules=None, recipe=None)
        predictor = create_predictor(config)
        predictor.run(self._feeds, lods=self._lods)
        return predictor

    def _measure(
        self, alternatives: list[Alternative], rounds: int = ROUNDS, turn_seconds: float = TURN_SECONDS
    ) -> None:
        for each in alternatives:
            each.seconds = None
        end = time.perf_counter() + self._budget / 2
        for number in range(rounds):
            if number >= ROUNDS and time.perf_counter() > end:
                return
            for each in alternatives if number % 2 else alternatives[::-1]:
                if each.predictor is not None:
                    taken = self._turn(each.predictor, turn_seconds)
                    each.seconds = taken if each.seconds is None else min(taken, each.seconds)

    def _compare(self, alternatives: list[Alternative]) -> None:
        """Measure in long turns, in half of the budget unless a few rounds take longer.

        Runs of earlier comparisons count, as a core may be slow for seconds.
        """
        self._measure(alternatives, LONG_ROUNDS, LONG_TURN_SECONDS)
        for each in alternatives:
            each.seconds = each.least = min(each.least, _seconds(each))

    def _turn(self, predictor: Predictor, seconds: float) -> float:
        """The seconds of the shortest run of a turn."""
        least, begin = float("inf"), time.perf_counter()
        start = begin
        while start - begin < seconds:
            predictor.run(self._feeds, lods=self._lods)
            end = time.perf_counter()
            least, start = min(least, end - start), end
        return least

    def _working(self) -> list[Alternative]:
        return [each for each in self.alternatives if each.predictor is not None]

    def _singles(self) -> list[Alternative]:
        return [each for each in self._working() if each.is_single]

    def _best_single(self) -> Alternative:
        return min(self._singles(), key=_seconds)

    def _chosen(self) -> Alternative:
        single = self._best_single()
        best = min(self._working(), key=_seconds)
        return best if _seconds(best) <= GAIN * _seconds(single) else single

    def _moved(self, best: Alternative) -> Alternative | None:
        """A faster placement that moves one region of `best` to another place; None if there is none."""
        for number, region in enumerate(best.plan.regions):
            for place in (*self._names, HOST):
                if place == region.device or not self._has_time():
                    continue
                ops = [(region.block, op) for op in region.ops]
                if place != HOST and any(place not in self._takes.get(op, ()) for op in ops):
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


def _divided_graph(config: Config) -> tuple[PassContext, Graph]:
    """The graph of a model before the first `subgraph_pass`, and the context of its passes."""
    context = pass_context(config)
    graph = program_graph(load_program(config), config.keep, config.input_shapes)
    names = pass_list(config)
    first = next(n for n, name in enumerate(names) if resolve(parse_spec(name).name) == SUBGRAPH_PASS)
    PassManager(names[:first], strict_order=False).run(graph, context)
    return context, graph


def _seconds(alternative: Alternative) -> float:
    return float("inf") if alternative.seconds is None else alternative.seconds
