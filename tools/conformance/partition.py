"""Checks that the planners and a device's limits divide the graphs of the conformance kit as expected.

``partition_scenarios.json`` holds small graphs.  A graph is one line of ops in running order, each written
``name[devices](inputs)``::

    p[a/b](x); q(p); r[a](p,q)     b, too, can run p, no device can run q, and x is an input of the graph

The file also has the expected plans of each graph: the least number of regions if each op runs on the first
device that can run it (``priority``), and if it may run on any device (``fewest_regions``), both found by
exhaustive search, and the regions of the detector ``reverse_dfs``.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from lite.dataclass import dataclass
from lite.plugin.device import Limits
from lite.subgraph import PLACEMENTS
from lite.subgraph.limits import split_for_limits
from lite.subgraph.op_graph import OpGraph, PlannedOp, PlannedRegion
from lite.subgraph.plan_regions import plan_regions
from lite.subgraph.reverse_dfs import reverse_dfs_regions
from lite.subgraph.split_op import SplitOp
from lite.subgraph.verify_plan import check_plan

FILE = Path(__file__).parent / "partition_scenarios.json"


@dataclass(frozen=True)
class NamedOp:
    """An op of a scenario: its name, the names that it reads, and the devices that can run it."""

    name: str
    inputs: tuple[str, ...]
    devices: tuple[str, ...]


@dataclass(frozen=True)
class Scenario:
    """A graph for some devices, in the user's order, and how the planners should divide it."""

    name: str
    about: str
    devices: tuple[str, ...]
    graph: str
    priority: int
    fewest_regions: int
    reverse_dfs: tuple[str, ...]
    """Regions as ``device:op,op``, in any order."""

    @property
    def ops(self) -> list[NamedOp]:
        """The ops of the graph in running order."""
        return read_graph(self.graph)


@dataclass(frozen=True)
class PartitionVerdict:
    """The problems of the plans of a scenario, one sentence each; none if they are as expected."""

    scenario: Scenario
    wrong: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether every plan was as expected."""
        return not self.wrong


@functools.cache
def read_scenarios(path: Path = FILE) -> tuple[Scenario, ...]:
    """Every scenario of the kit."""
    return tuple(
        Scenario(
            entry["name"],
            entry["about"],
            tuple(entry["devices"]),
            entry["graph"],
            entry["priority"],
            entry["fewest_regions"],
            tuple(entry["reverse_dfs"]),
        )
        for entry in json.loads(path.read_text(encoding="utf-8"))
    )


def read_graph(text: str) -> list[NamedOp]:
    """The ops of a line such as ``p[a](x); q(p)``."""
    ops: list[NamedOp] = []
    for part in filter(None, map(str.strip, text.split(";"))):
        head, _, inputs = part.rstrip(")").partition("(")
        name, _, devices = head.rstrip("]").partition("[")
        ops.append(
            NamedOp(name, tuple(filter(None, inputs.split(","))), tuple(filter(None, devices.split("/"))))
        )
    return ops


def number_ops(ops: Sequence[NamedOp], devices: Sequence[str]) -> OpGraph:
    """The graph with numbers instead of names: the number of an op or a device is its position.

    Names that no op has are inputs of the graph.  Raises `GraphError` where an op reads a later one.
    """
    number = {op.name: n for n, op in enumerate(ops)}
    return OpGraph(
        [
            PlannedOp(
                tuple(sorted({number[name] for name in op.inputs if name in number})),
                tuple(n for n, device in enumerate(devices) if device in op.devices),
            )
            for op in ops
        ]
    )


def check_partition(
    scenarios: Iterable[Scenario], limits: Mapping[str, Limits] | None = None
) -> Iterator[PartitionVerdict]:
    """Divide each graph with every planner, and split the regions by the `limits` of its devices.

    The split assumes that each op has one weight of 1 kB and writes one value of 1 kB.
    """
    for scenario in scenarios:
        yield PartitionVerdict(scenario, tuple(_problems(scenario, limits or {})))


def _problems(scenario: Scenario, limits: Mapping[str, Limits]) -> Iterator[str]:
    ops = scenario.ops
    graph = number_ops(ops, scenario.devices)
    names = [op.name for op in ops]
    check = functools.partial(check_plan, graph, op_names=names, device_names=scenario.devices)
    plans = {placement: plan_regions(graph, placement) for placement in PLACEMENTS}
    plans["reverse_dfs"] = reverse_dfs_regions(graph)
    for planner, plan in plans.items():
        yield from (f"{planner}: {problem}" for problem in check(plan))
        parts = [
            PlannedRegion(region.device, part)
            for region in plan
            for part in _split(ops, graph, region, limits.get(scenario.devices[region.device], Limits()))
        ]
        yield from (f"{planner}, split: {problem}" for problem in check(parts, complete=False))
    for planner, count in (("priority", scenario.priority), ("fewest_regions", scenario.fewest_regions)):
        if len(plans[planner]) != count:
            yield f"{planner}: {len(plans[planner])} regions, expected {count}"
    regions = sorted(
        f"{scenario.devices[region.device]}:{','.join(sorted(names[n] for n in region.ops))}"
        for region in plans["reverse_dfs"]
    )
    if regions != sorted(scenario.reverse_dfs):
        yield f"reverse_dfs: {' '.join(regions)}, expected {' '.join(sorted(scenario.reverse_dfs))}"


def _split(
    ops: Sequence[NamedOp], graph: OpGraph, region: PlannedRegion, limits: Limits
) -> Iterator[tuple[int, ...]]:
    """The parts of a region that the limits allow, without the ops that they refuse."""
    names = dict.fromkeys([*(op.name for op in ops), *(name for op in ops for name in op.inputs)])
    value = {name: n for n, name in enumerate(names)}
    inside = set(region.ops)
    split_ops = [
        SplitOp(
            inputs=tuple(value[name] for name in ops[n].inputs),
            outputs={n: 1000},
            read_outside=frozenset(() if inside.issuperset(graph.readers[n]) else {n}),
            weights={n: 1000},
        )
        for n in region.ops
    ]
    for part in split_for_limits(split_ops, limits).parts:
        yield tuple(region.ops[position] for position in part)
