"""Measures whole regions of a model on devices and on the host, as they run in a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from lite.config import CPU, Config
from lite.ir.clone import clone_graph
from lite.ir.graph import Graph, Node
from lite.ir.types import HOST, NO_LOD, Array
from lite.ops import Meta
from lite.ops.infer_graph import infer_metas
from lite.ops.node_work import node_macs, total_bytes, value_bytes
from lite.passes.base import PassContext
from lite.plan import Region
from lite.plugin.device import Device
from lite.runtime.regions.engine import SubgraphEngine
from lite.runtime.threads import RunThreads
from lite.session.region_settings import region_settings
from lite.subgraph.mark import mark
from lite.subgraph.range_search import PlacedRange, RangeSearch, cut_positions
from lite.subgraph.saved_plan import SavedRegion
from lite.subgraph.tuned_placements import TunedPlacements, region_key, tuned_place
from lite.tools.analysis.op_costs import NOT_MEASURED, shortest_time
from lite.tools.analysis.region_parts import EvaluatedRegion, strict_settings

MOST_CUTS = 16
"""Cuts of the running order: the ranges between them are the smallest regions that are measured."""

NEAR_CUTS = (-4, -2, -1, 0, 1, 2, 4)
"""Where the second search cuts, by the distance in ops from a cut that the first one used."""

MACS_PER_SECOND, BYTES_PER_SECOND, OP_SECONDS = 2e10, 5e9, 2e-6
"""Rough speeds, by which cuts divide the work of a graph."""


class RegionMeter:
    """Measures ranges of the ops of `graph`, the graph that `subgraph_pass` divides.

    Times are kept in `tuned`, and those that it has are not measured again.
    """

    def __init__(
        self,
        config: Config,
        context: PassContext,
        graph: Graph,
        feeds: Mapping[str, Array],
        tuned: TunedPlacements,
    ) -> None:
        options = context.subgraph
        threads = RunThreads(
            config.threads, config.precision, own_threads=any(p.target == CPU for p in config.places)
        )
        self._threads = threads
        self._settings = strict_settings(region_settings(config, context, threads))
        self._devices: dict[str, Device[Any]] = {device.name: device for device in context.devices}
        self._tuned = tuned
        self._places = {
            name: tuned_place(device, device.settings.threads) for name, device in self._devices.items()
        }
        self._places[HOST] = tuned_place(None, config.threads)
        marks = mark(graph, context.devices, options.rules, options.without, None, options.roster.facts)
        self._nodes = list(graph)
        self._takes = [{HOST, *marks.ops[node].supported_by} for node in self._nodes]
        self._block = graph.name
        arrays = [np.ascontiguousarray(feeds[arg.name]) for arg in graph.args]
        whole = Region(0, next(iter(context.devices)), graph, (None,) * len(graph.results))
        self._evaluated = EvaluatedRegion(whole, arrays)
        for arg, array in zip(self._evaluated.graph.args, arrays, strict=True):
            arg.shape = array.shape
        infer_metas(self._evaluated.graph)
        self.measured = 0
        """The regions that were measured, without those that `tuned` had."""

    def search(self, has_time: Callable[[], bool]) -> list[PlacedRange]:
        """The cheapest ranges between cuts of the whole graph, then between cuts near those that it used."""
        count = len(self._nodes)
        changes = [n for n in range(1, count) if self._takes[n] != self._takes[n - 1]]
        nodes = self._evaluated.nodes
        path = self._search(cut_positions(_crossing(nodes), _weights(nodes), changes, MOST_CUTS), has_time)
        near = {each.first + step for each in path[1:] for step in NEAR_CUTS}
        finer = self._search(sorted(near & {*range(1, count)}), has_time) if near else path
        return finer or path

    def _search(self, cuts: Sequence[int], has_time: Callable[[], bool]) -> list[PlacedRange]:
        return RangeSearch([0, *cuts, len(self._nodes)], [*self._devices, HOST], self.seconds).run(has_time)

    def regions(self, path: Sequence[PlacedRange]) -> tuple[SavedRegion, ...]:
        """The ranges of a path that are on devices."""
        return tuple(
            SavedRegion(
                each.place, self._block, tuple(node.label for node in self._nodes[each.first : each.end])
            )
            for each in path
            if each.place != HOST
        )

    def seconds(self, placed: PlacedRange) -> float | None:
        """The least seconds of a range on a place; None where it cannot run all of it."""
        span = slice(placed.first, placed.end)
        if any(placed.place not in takes for takes in self._takes[span]):
            return None
        part = self._evaluated.part(self._evaluated.nodes[span])
        times = self._tuned.regions.setdefault(region_key(part.graph), {})
        place = self._places[placed.place]
        if place not in times:
            try:
                times[place] = self._measure(placed.place, part.graph, list(part.inputs.values()))
            except NOT_MEASURED:
                return None
            self.measured += 1
        return times[place]

    def _measure(self, place: str, graph: Graph, arrays: list[Array]) -> float:
        if place == HOST:
            plan = self._settings.build(clone_graph(graph), ())
            runtime = self._settings.make_host(plan, self._settings)("compact")
            lods = [NO_LOD] * len(arrays)
            return self._threads.call(shortest_time, lambda: runtime.run(arrays, lods))
        device = self._devices[place]
        region = Region(0, device, graph, (None,) * len(graph.results))
        bound = SubgraphEngine(region, self._settings).bind([Meta.of(array, known=False) for array in arrays])
        outputs = [None] * len(graph.results)
        return shortest_time(lambda: bound.run(arrays, outputs))


def _crossing(nodes: Sequence[Node]) -> list[int]:
    """The bytes that cross the position before each op: what earlier ops wrote and later ones read."""
    number = {node: n for n, node in enumerate(nodes)}
    change = [0] * (len(nodes) + 1)
    for n, node in enumerate(nodes):
        for value in node.all_outputs():
            last = max((number[user] for user in value.users if user in number), default=n)
            size = value_bytes(value) or 0
            change[n + 1] += size
            change[last + 1] -= size
    crossing = [0]
    for each in change[1 : len(nodes)]:
        crossing.append(crossing[-1] + each)
    return crossing


def _weights(nodes: Sequence[Node]) -> list[float]:
    return [
        (node_macs(node) or 0) / MACS_PER_SECOND
        + (total_bytes(list(node.all_outputs())) or 0) / BYTES_PER_SECOND
        + OP_SECONDS
        for node in nodes
    ]
