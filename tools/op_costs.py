"""Measure what each op of a model takes by itself, on devices and on the host."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lite.config import Config
from lite.errors import CompileError, ExecutionError, GraphError, PassError, PluginError
from lite.io.load import load_program
from lite.io.save import clean_graph
from lite.ir.clone import clone_graph, copy_nodes
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import HOST, NO_LOD, Array, DType, is_known
from lite.ops import Meta
from lite.ops.infer_graph import infer_metas
from lite.plan import Region
from lite.plugin.device import Device
from lite.plugin.kernel import evaluate
from lite.runtime.regions.engine import SubgraphEngine
from lite.runtime.regions.settings import RegionSettings
from lite.session.build import optimize
from lite.session.region_settings import region_settings
from lite.subgraph.mark import mark
from lite.subgraph.measured_costs import MeasuredCosts, OpKey, place_of
from lite.tools.region_pieces import strict_settings

WARMUP, RUNS, SECONDS = 2, 20, 0.05
"""Runs before the clock counts, most runs that count, and seconds after which there are no more."""

NOT_MEASURED = (CompileError, ExecutionError, GraphError, PassError, PluginError)


@dataclass
class OpCost:
    """An op as it stands in the model, how often, and its seconds by place: device or host."""

    op: str
    name: str
    key: OpKey
    count: int = 1
    seconds: dict[str, float] = field(default_factory=dict)


class CostMeter:
    """Measures the ops of a model with inputs of given shapes.

    What a place takes to run next to nothing is measured, too, and taken off: placement counts it for
    each region, not for each op.
    """

    def __init__(self, config: Config, feeds: Mapping[str, Array]) -> None:
        program = load_program(config)
        context = optimize(program, config).context
        self.devices: Sequence[Device[Any]] = context.devices
        self._settings: RegionSettings = strict_settings(region_settings(config, context, nullcontext()))
        self._graph = clean_graph(program, {name: array.shape for name, array in feeds.items()})
        self._marks = {each: mark(each, self.devices) for each in self._graph.walk()}
        self._arrays: dict[Value, Any] = {
            arg: np.ascontiguousarray(feeds[arg.name]) for arg in self._graph.args if arg.name in feeds
        }
        self._threads = config.threads
        self.places = {device.name: place_of(device, device.settings.threads) for device in self.devices}
        self.places[HOST] = place_of(None, config.threads)

    @property
    def ops(self) -> int:
        """The number of ops there are to look at."""
        return sum(len(each) for each in self._graph.walk())

    def measure(self, advance: Callable[[], None]) -> list[OpCost]:
        """Every op that is measured, each kind of op and shapes once, in running order."""
        found: dict[OpKey, OpCost] = {}
        launches = {name: self._launch(name) for name in self.places}
        for graph in self._graph.walk():
            for node in graph:
                self._look(graph, node, found, launches)
                advance()
        return list(found.values())

    def _look(
        self, graph: Graph, node: Node, found: dict[OpKey, OpCost], launches: Mapping[str, float]
    ) -> None:
        key = OpKey.of(node)
        known = found.get(key)
        arrays = self._inputs(node)
        if arrays is None or node.blocks:
            return
        self._evaluate(node)
        if known is not None:
            known.count += 1
            return
        cost = OpCost(node.op, repr(next(iter(node.all_outputs())))[1:], key)
        piece = _alone(node, arrays)
        for place in (*self._marks[graph].ops[node].supported_by, HOST):
            try:
                seconds = self._seconds(place, piece, list(arrays.values()))
            except NOT_MEASURED:
                continue
            cost.seconds[place] = max(seconds - launches[place], 0.0)
        found[key] = cost

    def _inputs(self, node: Node) -> dict[Value, Array] | None:
        """What an op reads and is no constant, made up where it was not computed; None where unknown."""
        found: dict[Value, Array] = {}
        for value in node.all_inputs():
            if value.data is not None:
                continue
            array = self._arrays.get(value)
            if array is None and value.dtype is not None and is_known(value.shape):
                array = np.ones(tuple(int(dim) for dim in value.shape or ()), value.dtype.numpy)
            if not isinstance(array, np.ndarray):
                return None
            found[value] = array
        return found

    def _evaluate(self, node: Node) -> None:
        """Compute what an op writes, for those that read it."""
        given = {
            slot: [self._arrays.get(v) if v.data is None else v.data for v in values]
            for slot, values in node.inputs.items()
        }
        if any(array is None for arrays in given.values() for array in arrays):
            return
        try:
            counts = {slot: len(values) for slot, values in node.outputs.items()}
            results = evaluate(node.op, given, node.attrs, counts)
        except NOT_MEASURED:
            return
        for slot, values in node.outputs.items():
            self._arrays.update(zip(values, (result.array for result in results[slot]), strict=True))

    def _launch(self, place: str) -> float:
        """What a place takes for an op of one element."""
        graph = Graph()
        x = graph.add_arg("x")
        x.dtype, x.shape = DType.FLOAT32, (1, 1)
        node = graph.add_node("relu", {"X": [x]}, {"Out": ["y"]})
        graph.set_results([node.output()], ["y"])
        infer_metas(graph)
        takers = mark(graph, self.devices).ops[node].supported_by
        if place not in (*takers, HOST):
            return 0.0
        try:
            return self._seconds(place, graph, [np.ones((1, 1), np.float32)])
        except NOT_MEASURED:
            return 0.0

    def _seconds(self, place: str, graph: Graph, arrays: Sequence[Array]) -> float:
        if place == HOST:
            plan = self._settings.build(clone_graph(graph), ())
            runtime = self._settings.make_host(plan, self._settings)("plain")
            lods = [NO_LOD] * len(arrays)
            return _fastest(lambda: runtime.run(arrays, lods))
        device = next(device for device in self.devices if device.name == place)
        region = Region(0, device, graph, (None,) * len(graph.results), memory=device.memory())
        bound = SubgraphEngine(region, self._settings).bind([Meta.of(array, known=False) for array in arrays])
        outputs = [None] * len(graph.results)
        return _fastest(lambda: bound.run(arrays, outputs))

    def costs(self, found: Sequence[OpCost], known: MeasuredCosts | None) -> MeasuredCosts:
        """What was measured, added to what was known."""
        costs = MeasuredCosts() if known is None else known
        for cost in found:
            for place, seconds in cost.seconds.items():
                costs.enter(cost.key, self.places[place], seconds)
        return costs


def _fastest(run: Callable[[], object]) -> float:
    """Seconds of the fastest of some runs: others were disturbed."""
    for _ in range(WARMUP):
        run()
    best, end = math.inf, time.perf_counter() + SECONDS
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        now = time.perf_counter()
        best = min(best, now - start)
        if now > end:
            break
    return best


def _alone(node: Node, arrays: Mapping[Value, Array]) -> Graph:
    """A graph of one op; a value that it reads twice is one argument."""
    graph = Graph()
    values: dict[Value, Value] = {}
    for number, (value, array) in enumerate(arrays.items()):
        arg = values[value] = graph.add_arg(f"in_{number}")
        arg.dtype, arg.shape = DType.from_numpy(array.dtype), array.shape
    copy_nodes([node], graph, values)
    results = [values[value] for value in node.all_outputs() if value.is_used]
    graph.set_results(results, [value.label for value in results])
    infer_metas(graph)
    return graph
