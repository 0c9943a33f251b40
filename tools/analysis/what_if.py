"""What it would change if a device supported more: regions, coverage and time of a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from lite.config import Config
from lite.dataclass import dataclass
from lite.io.load import load_program
from lite.ir.clone import clone_graph
from lite.ir.graph import SUBGRAPH, Graph, Node
from lite.ir.program import Program
from lite.ir.types import HOST
from lite.ops.program_graph import program_graph
from lite.passes.base import PassContext, PassResults
from lite.passes.manager import PassManager
from lite.passes.pipelines import subgraph_passes
from lite.session.context import pass_context, pass_list
from lite.subgraph.assumptions import Assumption, Assumptions, general_reason
from lite.subgraph.measured_costs import MeasuredCosts, OpKey, place_of
from lite.subgraph.op_graph import BANDWIDTH, REGION_SECONDS
from lite.subgraph.report import PlacementReport


@dataclass(frozen=True)
class Placed:
    """A placement in numbers.

    `regions` counts the regions of the devices; `ops` and `macs` are the shares of ops and
    multiply-accumulates there, from 0 to 1; `bytes` is the data that crosses the boundaries of regions in a
    run, None where a shape is unknown; `seconds` is the expected time, None where nothing was measured.
    """

    regions: int
    ops: float
    macs: float
    bytes: int | None
    seconds: float | None = None


@dataclass(frozen=True)
class Gain:
    """What an assumption changes; `count` ops were declined for it."""

    assumption: str
    count: int
    before: Placed
    after: Placed


class WhatIf:
    """A model whose ops are placed again and again, each time with other assumptions.

    `costs` are the measured times of its ops; an op without a time on a device is expected to take what it
    takes on the host, times the ratio of the other ops.  `program` is the model in place of the one that the
    Config names.  Raises what `lite.create_predictor` raises.
    """

    def __init__(
        self, config: Config, costs: MeasuredCosts | None = None, program: Program | None = None
    ) -> None:
        program = load_program(config) if program is None else program
        self._context = pass_context(config)
        self._costs = costs
        self._threads = config.threads
        names = pass_list(config)
        self._passes = subgraph_passes(names)
        self._graph = program_graph(program, config.keep, config.input_shapes)
        PassManager(names[: names.index(self._passes[0])], strict_order=False).run(self._graph, self._context)
        self.refusals: Counter[Assumption] = Counter()
        """What the bridges declined, by op and reason in general terms, most frequent first."""
        assumed = Assumptions()
        self._place(assumed)
        self.refusals.update(Assumption(each.op, general_reason(each.reason)) for each in assumed.refusals)

    def report(self, assumptions: Sequence[Assumption] = ()) -> PlacementReport:
        """The placement report with assumptions; nothing is compiled or run."""
        return self._place(Assumptions(assumptions))[0]

    def placed(self, assumptions: Sequence[Assumption] = ()) -> Placed:
        """The placement in numbers."""
        report, graph = self._place(Assumptions(assumptions))
        shares = [share for place, share in report.coverage.items() if place != HOST]
        sizes = [region.bytes for region in report.regions]
        return Placed(
            len(report.regions),
            sum(share["ops"] for share in shares),
            sum(share["macs"] for share in shares),
            None if None in sizes else sum(size for size in sizes if size is not None),
            None if self._costs is None else self._seconds(graph, report, self._costs),
        )

    def assumptions(self) -> dict[Assumption, int]:
        """What to assume one by one: every refusal, and every op with several; with the number of ops."""
        by_op: dict[str, list[Assumption]] = {}
        for each in self.refusals:
            by_op.setdefault(each.op, []).append(each)
        found: dict[Assumption, int] = {}
        for op, refusals in by_op.items():
            has_bridge = not all("has no bridge" in each.reason for each in refusals)
            if len(refusals) > 1 or not has_bridge:
                found[Assumption(op)] = sum(self.refusals[each] for each in refusals)
            if has_bridge:
                found.update((each, self.refusals[each]) for each in refusals)
        return found

    def gains(self, advance: Callable[[], None] = lambda: None) -> list[Gain]:
        """What each assumption changes by itself, the most useful first."""
        before = self.placed()
        gains = []
        for each, count in self.assumptions().items():
            gains.append(Gain(str(each), count, before, self.placed([each])))
            advance()
        return sorted(gains, key=usefulness)

    def _place(self, assumed: Assumptions) -> tuple[PlacementReport, Graph]:
        graph = clone_graph(self._graph)
        results = PassResults(placed=PlacementReport([device.name for device in self._context.devices]))
        options = replace(self._context.subgraph, assumed=assumed)
        context: PassContext = replace(self._context, subgraph=options, results=results)
        PassManager(self._passes, strict_order=False).run(graph, context)
        return results.placed, graph

    def _seconds(self, graph: Graph, report: PlacementReport, costs: MeasuredCosts) -> float | None:
        places = {device.name: place_of(device, self._threads) for device in self._context.devices}
        host = place_of(None, self._threads)
        ratios = {name: _ratio(self._graph, costs, host, place) for name, place in places.items()}
        total = REGION_SECONDS * len(report.regions)
        total += sum(region.bytes or 0 for region in report.regions) / BANDWIDTH
        for node, name in _with_places(graph):
            on_host = costs.seconds(OpKey.of(node), host)
            if name == HOST:
                total += on_host or 0.0
                continue
            measured = costs.seconds(OpKey.of(node), places[name])
            ratio = ratios[name]
            if measured is None and (ratio is None or on_host is None):
                return None
            total += measured if measured is not None else (on_host or 0.0) * (ratio or 0.0)
        return total


def usefulness(gain: Gain) -> tuple[float, ...]:
    """A sort key: the least expected time, then the most multiply-accumulates, ops and joined regions."""
    seconds = 0.0 if gain.after.seconds is None else gain.after.seconds
    regions = gain.after.regions - gain.before.regions
    return (seconds, -gain.after.macs, -gain.after.ops, regions, -gain.count)


def _ratio(graph: Graph, costs: MeasuredCosts, host: str, place: str) -> float | None:
    """The time of all ops measured on both places, on the device as a multiple of the host's."""
    pairs = [(costs.seconds(key, host), costs.seconds(key, place)) for key in map(OpKey.of, graph)]
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    on_host, on_device = sum(a for a, _ in both), sum(b for _, b in both)
    return on_device / on_host if on_host else None


def _with_places(graph: Graph) -> list[tuple[Node, str]]:
    """The ops of a graph with their places, in nested graphs, too."""
    found: list[tuple[Node, str]] = []
    for node in graph:
        if node.op == SUBGRAPH:
            found += [(inner, str(node.attrs["device"])) for inner in node.blocks[0]]
            continue
        found.append((node, HOST))
        for block in node.blocks:
            found += _with_places(block)
    return found
