"""Measures the time of each op of a model alone, on devices and on the host."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from lite.config import Config
from lite.dataclass import dataclass
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
from lite.runtime.threads import Threads
from lite.session.build import optimize
from lite.session.region_settings import region_settings
from lite.subgraph.mark import mark
from lite.subgraph.measured_costs import MeasuredCosts, OpKey, place_of
from lite.tools.analysis.region_parts import strict_settings

WARMUP, RUNS, SECONDS = 2, 20, 0.05
"""Runs that do not count; the most runs that count; seconds after which no further run starts."""

NOT_MEASURED = (CompileError, ExecutionError, GraphError, PassError, PluginError)
"""Errors of a place that cannot run an op: the op has no cost there."""


@dataclass
class OpCost:
    """An op with its attributes and shapes, the number of its occurrences, and its seconds by place.

    A place is the name of a device, or ``host``.
    """

    op: str
    name: str
    key: OpKey
    count: int = 1
    seconds: dict[str, float] = field(default_factory=dict)


class CostMeter:
    """Measures the ops of a model for inputs of given shapes.

    The time of a trivial op is measured on each place and subtracted: placement counts that overhead
    once per region, not once per op.
    """

    def __init__(self, config: Config, feeds: Mapping[str, Array]) -> None:
        program = load_program(config)
        context = optimize(program, config).context
        self.devices: Sequence[Device[Any]] = context.devices
        self._settings: RegionSettings = strict_settings(region_settings(config, context, Threads()))
        self._graph = clean_graph(program, {name: array.shape for name, array in feeds.items()})
        self._marks = {graph: mark(graph, self.devices) for graph in self._graph.walk()}
        self._arrays: dict[Value, Any] = {
            arg: np.ascontiguousarray(feeds[arg.name]) for arg in self._graph.args if arg.name in feeds
        }
        self.places = {device.name: place_of(device, device.settings.threads) for device in self.devices}
        self.places[HOST] = place_of(None, config.threads)

    @property
    def ops(self) -> int:
        """The number of ops in the graph and its sub-blocks."""
        return sum(len(graph) for graph in self._graph.walk())

    def measure(self, advance: Callable[[], None]) -> list[OpCost]:
        """The costs in running order; ops with equal types, attributes and shapes are measured once."""
        costs: dict[OpKey, OpCost] = {}
        overheads = {place: self._overhead(place) for place in self.places}
        for graph in self._graph.walk():
            for node in graph:
                self._measure_node(graph, node, costs, overheads)
                advance()
        return list(costs.values())

    def _measure_node(
        self, graph: Graph, node: Node, costs: dict[OpKey, OpCost], overheads: Mapping[str, float]
    ) -> None:
        key = OpKey.of(node)
        arrays = self._inputs(node)
        if arrays is None or node.blocks:
            return
        self._evaluate(node)
        if key in costs:
            costs[key].count += 1
            return
        cost = costs[key] = OpCost(node.op, node.label, key)
        single = _graph_of(node, arrays)
        for place in (*self._marks[graph].ops[node].supported_by, HOST):
            try:
                seconds = self._seconds(place, single, list(arrays.values()))
            except NOT_MEASURED:
                continue
            cost.seconds[place] = max(seconds - overheads[place], 0.0)

    def _inputs(self, node: Node) -> dict[Value, Array] | None:
        """The inputs of an op that are not constants; None if a shape is unknown.

        An input that was not computed is an array of ones.
        """
        inputs: dict[Value, Array] = {}
        for value in node.all_inputs():
            if value.data is not None:
                continue
            array = self._arrays.get(value)
            if array is None and value.dtype is not None and is_known(value.shape):
                array = np.ones(tuple(int(dim) for dim in value.shape or ()), value.dtype.numpy)
            if not isinstance(array, np.ndarray):
                return None
            inputs[value] = array
        return inputs

    def _evaluate(self, node: Node) -> None:
        """Compute the outputs of an op, which are inputs of others."""
        inputs = {
            slot: [self._arrays.get(v) if v.data is None else v.data for v in values]
            for slot, values in node.inputs.items()
        }
        if any(array is None for arrays in inputs.values() for array in arrays):
            return
        try:
            counts = {slot: len(values) for slot, values in node.outputs.items()}
            results = evaluate(node.op, inputs, node.attrs, counts)
        except NOT_MEASURED:
            return
        for slot, values in node.outputs.items():
            self._arrays.update(zip(values, (result.array for result in results[slot]), strict=True))

    def _overhead(self, place: str) -> float:
        """The seconds of an op of one element; 0 if the place cannot run it."""
        graph = Graph()
        x = graph.add_arg("x")
        x.dtype, x.shape = DType.FLOAT32, (1, 1)
        node = graph.add_node("relu", {"X": [x]}, {"Out": ["y"]})
        graph.set_results([node.output()], ["y"])
        infer_metas(graph)
        if place not in (*mark(graph, self.devices).ops[node].supported_by, HOST):
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
            return shortest_time(lambda: runtime.run(arrays, lods))
        device = next(device for device in self.devices if device.name == place)
        region = Region(0, device, graph, (None,) * len(graph.results), memory=device.memory())
        bound = SubgraphEngine(region, self._settings).bind([Meta.of(array, known=False) for array in arrays])
        outputs = [None] * len(graph.results)
        return shortest_time(lambda: bound.run(arrays, outputs))

    def merged(self, costs: Sequence[OpCost], earlier: MeasuredCosts | None) -> MeasuredCosts:
        """`costs` added to the costs of an earlier measurement."""
        merged = MeasuredCosts() if earlier is None else earlier
        for cost in costs:
            for place, seconds in cost.seconds.items():
                merged.enter(cost.key, self.places[place], seconds)
        return merged


def shortest_time(run: Callable[[], object]) -> float:
    """The seconds of the fastest of several runs, the one that other processes disturbed least."""
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


def _graph_of(node: Node, arrays: Mapping[Value, Array]) -> Graph:
    """A graph of one op; a value that the op reads twice is one argument."""
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
